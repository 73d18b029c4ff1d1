#!/usr/bin/env bash
# A rule of one's own, built from the installed tree and loaded by path.
source "$(dirname "$0")/expect.bash"

build=$(dirname "$REEVE")
cmake --install "$build" --prefix "$scratch/prefix" >install.log
cp -r "$source_root/docs/plugin_example" example
cmake -S example -B example/build -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_COMPILER="${CXX:-c++}" >configure.log
cmake --build example/build >build.log
plugin=example/build/deadline_risk.so
installed=$scratch/prefix/bin/reeve

# It is a rule like any other.
"$installed" --plugin $plugin policies deadline_risk >stdout
has stdout "so much earlier than at the last moment"
run 0 --plugin $plugin policies
has stdout "deadline_risk"
run 0 --plugin $plugin test example/deadline_risk.jsonc
has stdout "notifications == 1"
run 0 run example/deadline_risk.jsonc --plugin $plugin
run 0 --plugin $plugin --json run example/deadline_risk.jsonc
is_json stdout

# What is to be done next needs it too.
run 0 --plugin $plugin compare example/deadline_risk.jsonc
has stdout "next: reeve --plugin $plugin explain"
run 0 check example/deadline_risk.jsonc --plugin $plugin
has stderr "next: reeve --plugin $plugin compare example/deadline_risk.jsonc"
run 0 run example/deadline_risk.jsonc --plugin $plugin
eval "words=($(sed -n 's/^ *next: reeve //p' stderr))"
run 0 "${words[@]}"

# Its options are checked like any other's.
sed 's/"margin": "1h"/"margn": "1h"/' example/deadline_risk.jsonc >misspelt.jsonc
run 3 --plugin $plugin run misspelt.jsonc
has stderr 'did you mean "margin"?'

# Without it the scenario names a rule that nobody knows; nothing is loaded because a file says so.
run 3 run example/deadline_risk.jsonc
has stderr "E0213"
has stderr "loaded with --plugin PATH"

# What does not fit is refused before anything runs.
run 3 --plugin nowhere.so run example/deadline_risk.jsonc
has stderr "E0001"
echo "no object" >text.so
run 3 --plugin ./text.so run example/deadline_risk.jsonc
has stderr "E0295"
echo 'int reeve_policy_plug = 0;' >other.cpp
"${CXX:-c++}" -shared -fPIC other.cpp -o other.so
run 3 --plugin other.so run example/deadline_risk.jsonc
has stderr "E0295"
has stderr "reeve_policy_plugin"
cp -r "$scratch/prefix" newer
sed -i 's/contract [0-9a-f]*"/contract 0123456789abcdef"/' \
  newer/include/reeve/policy/contract_id.hpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Inewer/include example/deadline_risk.cpp -o newer.so
run 3 --plugin newer.so run example/deadline_risk.jsonc
has stderr "E0296"
run 3 --plugin $plugin --plugin $plugin run example/deadline_risk.jsonc
has stderr "E0297"
sed 's/"0s")"/"soon")"/' example/deadline_risk.cpp >wrong.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include wrong.cpp -o wrong.so
run 3 --plugin wrong.so run example/deadline_risk.jsonc
has stderr "E0297"
has stderr "margin"
sed 's/"margin"/"mode"/' example/deadline_risk.cpp >taken.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include taken.cpp -o taken.so
run 3 --plugin taken.so run example/deadline_risk.jsonc
has stderr "a key of every rule"

# What it throws mutes its own seat; the others go on.
sed 's/if (trains || .*/throw std::runtime_error{"no idea"};/' example/deadline_risk.cpp |
  sed 's/#include <chrono>/#include <stdexcept>\n#include <chrono>/' >thrower.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include thrower.cpp -o thrower.so
run 1 --plugin thrower.so run example/deadline_risk.jsonc --journal muted.journal
has stderr "no idea"
has muted.journal "mute "
done_checking

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

# A job whose last moment is over as it is submitted is told of at once, however long ago that was.
sed '/"name": "second"/s/"deadline": "15h"/"deadline": "8h", "submit": "1h"/' \
  example/deadline_risk.jsonc >hopeless.jsonc
for margin in 0s 20h; do
  sed -i -E "s/\"margin\": \"[0-9a-z]+\"/\"margin\": \"$margin\"/" hopeless.jsonc
  run 0 --plugin $plugin run hopeless.jsonc -p watch -o hopeless-$margin
  has hopeless-$margin/decisions.csv "watch/0,1,3600,second,deadline_risk,enforce,accepted,notify"
done

# Its options are checked like any other's.
sed 's/"margin": "1h"/"margn": "1h"/' example/deadline_risk.jsonc >misspelt.jsonc
run 3 --plugin $plugin run misspelt.jsonc
has stderr 'did you mean "margin"?'

# Without it the scenario names an unknown rule; a file alone loads no plug-in.
run 3 run example/deadline_risk.jsonc
has stderr "E0213"
has stderr "load your own rule with --plugin PATH"

# What does not fit is refused before anything runs.
run 3 --plugin nowhere.so run example/deadline_risk.jsonc
has stderr "E0001"
echo "no object" >text.so
run 3 --plugin ./text.so run example/deadline_risk.jsonc
has stderr "E0295"
for bytes in 10 100 3000 20000; do  # cut off: the loader itself would die of it
  head -c $bytes $plugin >cut.so
  run 3 --plugin ./cut.so policies
  has stderr "E0295"
done
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
fails='if (std::getenv("PATH") != nullptr) throw std::runtime_error{"no list"};'
sed "s/^PolicyKind .*() {\$/&\\n  $fails/" example/deadline_risk.cpp |
  sed 's/#include <chrono>/#include <cstdlib>\n#include <stdexcept>\n&/' >unlisted.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include unlisted.cpp -o unlisted.so
run 3 --plugin ./unlisted.so policies
has stderr "E0297"
has stderr "unlisted.so"
has stderr "no list"

# It says itself when it can never act.
sed 's/      .verbs = verbs,/      .idle = [](const Options\&,\
                 const ScenarioFacts\&) -> OptionProblem {\
        return {.option = "margin", .message = "no job has a deadline", .help = "add one"};\
      },\
&/' example/deadline_risk.cpp >idle.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include idle.cpp -o idle.so
run 0 --plugin ./idle.so check example/deadline_risk.jsonc
has stdout "W0565"
has stdout "no job has a deadline"

# Its options may have names of known ones and other types, or lack what goes with them.
for option in 'limit_usd number "5"' 'tag integer "5"' 'min_pct text R"("a")"' \
  'override.market integer "5"' 'algorithm text R"("quota")"'; do
  read -r name type standard <<<"$option"
  sed "s/{{.name = \"margin\"/{{.name = \"$name\", .type = OptionType::$type,\
      .default_json = $standard}, {.name = \"margin\"/
      s/.never_stops = true,/.schedules = true,/" \
    example/deadline_risk.cpp >other_type.cpp
  "${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include other_type.cpp -o other_type.so
  run 0 --plugin ./other_type.so check example/deadline_risk.jsonc
  run 0 --plugin ./other_type.so run example/deadline_risk.jsonc
done

# A check of budgets reads more than these two.
sed 's/{{.name = "margin"/{{.name = "limit_usd", .type = OptionType::number,\
      .default_json = "5"},\
      {.name = "ahead", .type = OptionType::duration, .default_json = R"("2m")"},\
      {.name = "margin"/' \
  example/deadline_risk.cpp >part.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include part.cpp -o part.so
run 0 --plugin ./part.so check example/deadline_risk.jsonc

# It tells which hours it keeps, or is refused.
sed 's/.never_stops = true,/.keeps_hours = true,/' example/deadline_risk.cpp >hours.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include hours.cpp -o hours.so
run 3 --plugin ./hours.so policies
has stderr "E0297"
has stderr "lacks the options of weekly hours"

# It gets permissions for what it states that it does, or else for all that a rule can do.
cat >live.jsonc <<'JSON'
{ "reeve": 1, "platform": { "model": "sagemaker-training" },
  "live": { "notify": { "sns": "arn:aws:sns:us-east-1:123456789012:alerts" } },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "ml.x", "capacity": 1 } ],
  "policies": { "watch": [ { "rule": "deadline_risk" } ] } }
JSON
run 0 --plugin $plugin live iam live.jsonc --enforce
has stdout "sns:Publish"
lacks stdout "CreateTrainingJob"
is_empty stderr
sed '/[.]verbs = verbs/d' example/deadline_risk.cpp >unstated.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include unstated.cpp -o unstated.so
run 0 --plugin ./unstated.so live iam live.jsonc --enforce
has stdout "sns:Publish"
has stdout "CreateTrainingJob"
lacks stdout "StopTrainingJob"
has stderr "does not say what it may do"

# What it throws mutes its own seat; the others go on.
sed 's/if (trains || .*/throw std::runtime_error{"no idea"};/' example/deadline_risk.cpp |
  sed 's/#include <chrono>/#include <stdexcept>\n#include <chrono>/' >thrower.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include thrower.cpp -o thrower.so
run 1 --plugin thrower.so run example/deadline_risk.jsonc --journal muted.journal
has stderr "no idea"
has muted.journal "mute "

# So does what its constructor throws: no policy loses its row for that.
sed 's/: margin_{options.duration("margin")} {}/{ throw std::runtime_error{"no start"}; }/' \
  example/deadline_risk.cpp |
  sed 's/#include <chrono>/#include <stdexcept>\n#include <chrono>/' >unmade.cpp
"${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include unmade.cpp -o unmade.so
run 1 --plugin unmade.so run example/deadline_risk.jsonc --journal unmade.journal
has stderr "no start"
has unmade.journal "mute "
run 1 --plugin unmade.so compare example/deadline_risk.jsonc
has stdout "watch"

# So does what it takes of memory: it is stopped long before the machine is.
if nm -D "$REEVE" | grep __asan_init >asan; then
  echo "skipped: memory without end, for the address sanitizer has operators new of its own"
else
  sed 's/if (trains || .*/for (;;) (new std::vector<char>)->reserve(1UL << 28);/' \
    example/deadline_risk.cpp |
    sed 's/#include <chrono>/#include <vector>\n#include <chrono>/' >greedy.cpp
  "${CXX:-c++}" -std=c++20 -shared -fPIC -Iprefix/include greedy.cpp -o greedy.so
  run 1 --plugin greedy.so run example/deadline_risk.jsonc --journal greedy.journal
  has stderr "takes more memory than a rule may hold"
  has greedy.journal "mute "
fi
done_checking

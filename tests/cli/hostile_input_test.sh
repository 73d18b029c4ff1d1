#!/usr/bin/env bash
# Inputs that once broke the program: many errors, many rules, formulas, escape sequences, plug-ins.
source "$(dirname "$0")/expect.bash"

# scenario JOBS POLICIES [MORE]: a small one.
scenario() {
  cat <<JSONC
{ "reeve": 1, "name": "n", "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "1d" },
  "prices": { "instances": { "x": { "usd_per_hour": 3, "gpus": 1 } } },
  "fleet": [ { "name": "f", "instance_type": "x", "capacity": 8 } ],
  "jobs": $1, "policies": $2 ${3:-} }
JSONC
}
# many COUNT FORMAT: a list of so many; %d is the number.
many() {
  python3 -c 'import sys
rows = (sys.argv[2].replace("%d", str(n)) for n in range(int(sys.argv[1])))
print("[" + ", ".join(rows) + "]")' "$@"
}
job='[ { "name": "a", "work": "1h" } ]'

# More than 100 errors: the first have places, the others are counted.
scenario "$job" '{ "p": [ { "rule": "stalled_gpu", "use": "b" } ],
    "q": [ { "rule": "stalled_gpu", "use": "b" } ] }' \
  ", \"rules\": { \"b\": { \"hosts\": $(many 100 '"algo-1"') } }" >hosts.jsonc
for command in check run compare; do
  run 3 $command hosts.jsonc
  cat stdout stderr >both
  has both '--> hosts.jsonc:5:'
  has both 'more errors are not shown'
done
budgets=$(many 150 '{ "rule": "budget", "name": "b%d", "stays": [] }')
scenario "$job" "{ \"p\": $budgets }" >stays.jsonc
run 3 check stays.jsonc
has stdout '--> stays.jsonc:4:'
run 3 --json check stays.jsonc
is_json stdout
scenario "$(many 5000 '{ "name": "j%d", "wrk": "1h" }')" '{ "p": [] }' >unknown.jsonc
run 3 check unknown.jsonc
has stdout 'at least 900 more errors are not shown: correct these first'
same='{ "name": "same", "work": "1h" }'
stop='{ "rule": "rule", "do": "stop", "when": { "field": "instances", "op": ">", "value": 1 } }'
scenario "$(many 5000 "$same")" "{ \"p\": [ $stop ] }" >one_name.jsonc
run 3 check one_name.jsonc
has stdout 'more errors are not shown: correct these first'

# The host numbers the rules of a policy in one byte, alerts included.
rules() { many "$1" '{ "rule": "max_runtime", "limit": "2h", "name": "m%d" }'; }
alerts() { many "$1" '{ "name": "a%d", "watch": "job_wait", "above": "30m" }'; }
scenario "$job" "{ \"p\": $(rules 255) }" >fits.jsonc
run 0 run fits.jsonc
scenario "$job" "{ \"p\": $(rules 256), \"q\": $(rules 1) }" >rules.jsonc
scenario "$job" '{ "p": [] }' ", \"alerts\": $(alerts 256)" >alerts.jsonc
scenario "$job" "{ \"none\": [], \"p\": $(rules 5) }" ", \"alerts\": $(alerts 251)" >both.jsonc
scenario "$job" "{ \"none\": [], \"p\": $(rules 5) }" ", \"alerts\": $(alerts 250)" >full.jsonc
run 0 run full.jsonc
for file in rules alerts both; do
  for command in check run; do
    run 3 $command $file.jsonc
    cat stdout stderr >said
    has said 'error[E0284]'
    has said "--> $file.jsonc:4:"
  done
done

# Cells that a spreadsheet would take for formulas, and characters that control a terminal.
for text in '=cmd()' '+1+2' '-2+3' '@SUM(A1)' '\u001b[31mred' 'a\rb' '\u009b31m'; do
  scenario "[ { \"name\": \"j\", \"work\": \"1h\", \"owner\": \"$text\", \"instances\": 2,
    \"tags\": { \"t\": \"$text\", \"$text\": \"x\" } } ]" '{ "p": [] }' \
    ", \"title\": \"$text\", \"source\": \"$text\"" >text.jsonc
  for command in 'check text.jsonc' 'run text.jsonc -o out' 'compare text.jsonc -o out' \
    'explain j text.jsonc -p p' 'run text.jsonc --by owner' 'run text.jsonc --by t' \
    'compare text.jsonc --md' 'test text.jsonc' '--json run text.jsonc'; do
    read -ra words <<<"$command"
    "$REEVE" "${words[@]}" >stdout 2>stderr || [ $? -eq 99 ] || fail "reeve $command"
    cat stdout stderr >both
    ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' both || fail "reeve $command: $text"
  done
  ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out/*.csv out/*.json || fail "CSV: $text"
  python3 - <<'PYTHON' || fail "a formula in a table: $text"
import csv, glob, re
for file in glob.glob("out/*.csv"):
    for row in csv.DictReader(open(file, newline="")):
        for cell in row.values():
            assert not re.match(r"[=+@-].", cell) or re.fullmatch(r"-?[0-9.e+-]+", cell), cell
PYTHON
done
grep -q "'=cmd()" <(scenario "[ { \"name\": \"j\", \"work\": \"1h\", \"owner\": \"=cmd()\" } ]" \
  '{ "p": [] }' >text.jsonc; "$REEVE" run text.jsonc -q -o out >stdout; cat out/jobs.csv) ||
  fail "the owner is gone"

# What grows with the input grows no faster: each of these took minutes, or gigabytes.
scenario "$job" '{ "p": [] }' ", \"expect\": $(many 100000 '{ "that": "billed_usd < 100" }')" |
  tr '\n' ' ' >line.jsonc
timeout 30 "$REEVE" check line.jsonc >stdout || fail "places in one long line take too long"
scenario "$(many 60000 '{ "name": "j%d", "work": "1h", "owner": "o%d" }')" '{ "p": [] }' \
  ', "platform": { "model": "ideal" }' >owners.jsonc
timeout 40 "$REEVE" run owners.jsonc --by owner -q >stdout || fail "60,000 groups take too long"
scenario "$(many 4000 '{ "name": "j%d", "work": "1h" }')" \
  '{ "p": [ { "rule": "schedule", "algorithm": "fifo" } ] }' \
  ', "platform": { "model": "ideal" }' |
  sed 's/"horizon": "1d"/"horizon": "until_done"/' >queue.jsonc
python3 - "$REEVE" <<'PYTHON' || fail "a table of the queue takes memory for all its rows"
import resource, subprocess, sys
def peak(*more):
    subprocess.run([sys.argv[1], "run", "queue.jsonc", "-q", "-o", "queue", *more], check=True,
                   stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of the largest until now
without = peak()
assert peak("--queue-every", "1h") < without + 40_000, (without, "KiB without the table")
PYTHON
checks=$((checks + 3))

# A plug-in whose entry is no function, and one without the functions of the contract.
compiler=${CXX:-c++}
echo 'extern "C" { int reeve_policy_plugin = 0; }' >data.cpp
echo 'extern "C" const void* reeve_policy_plugin() { return nullptr; }' >nothing.cpp
cat >empty.cpp <<'CPP'
#include <reeve/policy/plugin.hpp>
extern "C" const reeve::policy::Plugin* reeve_policy_plugin() {
  static constexpr reeve::policy::Plugin plugin{};
  return &plugin;
}
CPP
cat >throws.cpp <<'CPP'
#include <stdexcept>
extern "C" const void* reeve_policy_plugin() { throw std::runtime_error{"no entry"}; }
CPP
for name in data nothing empty throws; do
  "$compiler" -std=c++20 -shared -fPIC -I"$source_root/policies/api/include" \
    -I"$(dirname "$REEVE")/generated" $name.cpp -o $name.so
done
run 3 --plugin ./data.so policies
has stderr 'E0295'
has stderr 'has no function reeve_policy_plugin'
run 3 --plugin ./nothing.so policies
has stderr 'E0296'
run 3 --plugin ./empty.so policies
has stderr 'E0295'
has stderr 'lacks functions'
cat >crashes.cpp <<'CPP'
struct Crash {
  Crash() { *static_cast<volatile int*>(nullptr) = 1; }
} crash;
CPP
cat >endless.cpp <<'CPP'
extern "C" const void* reeve_policy_plugin() { for (volatile int n = 0;;) n = n + 1; }
CPP
cat >exits.cpp <<'CPP'
#include <cstdlib>
struct Exit {
  Exit() { std::exit(0); }
} at_once;
CPP
for name in crashes exits endless; do "$compiler" -shared -fPIC -O0 $name.cpp -o $name.so; done
for name in throws crashes; do
  run 3 --plugin ./$name.so policies
  has stderr 'E0295'
  has stderr 'it crashes (signal'
done
run 3 --plugin ./exits.so policies
has stderr 'it crashes (exit status 0)'
if [ -n "${REEVE_PATIENT:-}" ]; then
  run 1 --plugin ./endless.so policies
  has stderr 'plug-in "./endless.so" did not return within 60 s'
else
  echo "skipped: an entry that never returns takes 60 s; set REEVE_PATIENT=1"
  ended=0
  timeout -s INT --preserve-status 1 "$REEVE" --plugin ./endless.so policies >stdout 2>stderr ||
    ended=$?
  [ "$ended" -eq 130 ] || fail "loading was not interrupted: $ended"
fi
done_checking

#!/usr/bin/env bash
# Wrong usage ends with 64, on stderr, with the nearest name; help and version end with 0.
source "$(dirname "$0")/expect.bash"

run 64
is_empty stdout
has stderr compare
run 64 comprae x.jsonc
is_empty stdout
has stderr 'there is no command "comprae"'
has stderr 'did you mean "compare"?'
run 64 compare x.jsonc --bseline none
has stderr 'did you mean "--baseline"?'
run 64 compare
run 64 compare x.jsonc --runs 0
run 64 compare x.jsonc --runs many
run 64 compare x.jsonc --threads -1
has stderr '"-1" is not a whole number from 1 to 1024'
for seed in -1 18446744073709551616 99999999999999999999 1.5 1e3 0x10 +1 abc; do
  for command in compare run "explain big-train"; do
    read -ra words <<<"$command"
    run 64 "${words[@]}" x.jsonc --seed "$seed"
    has stderr "--seed: \"$seed\" is not a whole number from 0 to 18446744073709551615"
  done
done
for runs in 0 -1 1e9 1000001 2.5 99999999999999999999; do
  run 64 compare x.jsonc --runs "$runs"
  has stderr "\"$runs\" is not a whole number from 1 to 1000000"
done
for rep in -1 1000000 5000000000; do run 64 explain big-train x.jsonc --rep "$rep"; done
run 64 compare "$source_root/tests/scenarios/markets/ticks-of-a-record.jsonc" --runs 3
has stderr 'has 2 windows, one per run'
has stderr '--runs 2'
for threads in 0 1025 many; do run 64 test x.jsonc --threads "$threads"; done
run 64 compare x.jsonc --replications 3
has stderr 'reeve help compare'
run 64 check x.jsonc --format xml
run 64 completion tcsh
run 64 init stalled-weekned
has stderr 'did you mean "stalled-weekend"?'
run 64 policies stalled-gpu
has stderr 'did you mean "stalled_gpu"?'
run 64 policies staled
has stderr 'did you mean "stalled_gpu"?'
run 64 explain staled_gpu
has stderr 'did you mean "stalled_gpu"?'
run 64 help comprae
run 64 explain nonsense_key
run 64 explain E9999

run 0 --version
grep -qE '^reeve [0-9]+\.[0-9]+\.[0-9]+$' stdout || fail "no version"
is_empty stderr
run 0 --help
has stdout 'Exit codes'
run 0 help
has stdout 'Exit codes'
for command in demo init check run compare test explain schema policies completion help; do
  run 0 help "$command"
  has stdout 'Examples:'
  has stdout "reeve $command"
  has stdout "Usage: reeve $command"
  run 0 "$command" --help
  has stdout 'Examples:'
done

# The nearest key or code, codes in any case, and the policy before or after the file.
run 0 explain e0203
has stdout 'E0203: '
run 64 explain E203
has stderr 'there is no code E203'
has stderr 'did you mean "E0203"?'
run 64 explain horizn
has stderr 'did you mean "horizon"?'
run 0 init stalled-weekend
for order in 'big-train -p gpu-alarm stalled-weekend.jsonc' \
  '-p gpu-alarm big-train stalled-weekend.jsonc' 'big-train stalled-weekend.jsonc -p gpu-alarm'; do
  read -ra words <<<"$order"
  run 0 explain "${words[@]}"
  has stdout 'big-train was stopped at'
done

# What is printed to be copied is quoted for a shell.
sed 's/big-train/a,b;x/' stalled-weekend.jsonc >'a b.jsonc'
run 0 compare 'a b.jsonc'
has stdout "next: reeve explain 'a,b;x' 'a b.jsonc' -p gpu-alarm"

# Under --json an error is JSON too, with the same exit code.
echo '{ "reeve": 1, "nmae": "x" }' >broken.jsonc
for command in 'run broken.jsonc' 'compare broken.jsonc' 'explain train broken.jsonc -p none'; do
  read -ra words <<<"$command"
  run 3 "${words[@]}" --json
  is_json stdout
  has stdout '"diagnostics"'
  has stdout '"exit": 3'
done
run 64 compare stalled-weekend.jsonc -p nobody --json
is_json stdout
has stdout '"exit": 64'
run 64 compare stalled-weekend.jsonc --bseline none --json
is_json stdout
rm -r stalled-weekend.jsonc .reeve 'a b.jsonc' broken.jsonc

# --json is never ignored.
run 0 --version --json
is_json stdout
has stdout '"version"'
for command in 'help' 'help compare' 'compare --help' 'completion fish' 'completion bash' 'schema' \
  'schema --write' 'policies' 'init --list' 'init stalled-weekend' 'explain E0203' \
  'explain platform.stop_grace' 'check stalled-weekend.jsonc' 'test stalled-weekend.jsonc' \
  'run stalled-weekend.jsonc' 'explain big-train stalled-weekend.jsonc -p gpu-alarm'; do
  read -ra words <<<"$command"
  run 0 "${words[@]}" --json
  is_json stdout
done

# -v says more on stderr, and nothing else on stdout; -q says nothing.
run 0 run stalled-weekend.jsonc
cp stdout plain
run 0 run stalled-weekend.jsonc -v
cmp plain stdout || fail "-v changes stdout"
has stderr 'read stalled-weekend.jsonc: 1 jobs, 1 fleets, 4 policies, 8 expectations'
has stderr 'seed 1: 1 runs of 4 policies on '
has stderr 'events in'
run 0 run stalled-weekend.jsonc -q
is_empty stderr

# A file that is not there is invalid input, not wrong usage; stdout that is full is a failure.
run 3 compare missing.jsonc
has stderr E0001
run 3 run missing.jsonc
run 3 check missing.jsonc
run 3 test missing.jsonc
status=0
"$REEVE" policies >/dev/full 2>stderr || status=$?
[ "$status" -eq 1 ] || fail "a full stdout ended with $status"
done_checking

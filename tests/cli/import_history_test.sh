#!/usr/bin/env bash
# reeve import history: a simulated month, written as a team's exports, imported and replayed.
source "$(dirname "$0")/expect.bash"
tools=$source_root/tests/cli

cat >month.jsonc <<'SCENARIO'
{
  "reeve": 1,
  "name": "month",
  "clock": { "start": "2026-08-01T00:00:00Z" },
  "prices": { "instances": { "ml.p4d.24xlarge": { "usd_per_hour": 37.688, "gpus": 8 } } },
  "fleet": [ { "instance_type": "ml.p4d.24xlarge", "capacity": 6 } ],
  "platform": { "startup": "5m", "upload": "1m" },
  "random": { "seed": 7 },
  "workload": { "jobs": 200, "arrivals": { "gap": "3h" },
    "work": { "lognormal": { "median": "2h", "sigma": 1.2 } }, "instances": { "1": 0.8, "2": 0.2 },
    "tags": { "team": "vision" }, "max_runtime": "12h",
    "drawn_faults": [ { "kind": "stall", "probability": 0.1, "after": { "exponential": "1h" } } ] },
  "policies": { "as-it-was": [], "stalled-gpu": [ { "rule": "stalled_gpu" } ] }
}
SCENARIO
run 0 run month.jsonc --policy as-it-was -o month
python3 "$tools/foreign_exports.py" "$PWD/month" 2026-08-01T00:00:00Z dump

# Jobs, bill, metrics and trail together.
run 0 import history dump/jobs.json dump/focus.csv dump/gpu.json dump/stops.json -o ours
for file in jobs.csv.gz scenario.jsonc import.md import.json events.csv; do
  [ -s "ours/$file" ] || fail "ours/$file is missing"
done
is_json ours/import.json
has ours/import.md '100.0 % of what instances cost matches jobs'
has stderr 'next: reeve compare ours/scenario.jsonc --baseline as-it-was'
run 0 check ours/scenario.jsonc

# The replay costs what the bill says.
run 0 run ours/scenario.jsonc --policy as-it-was --runs 1 -o again
python3 "$tools/history_check.py" replay month again || fail "the replay is not the month"
checks=$((checks + 1))

# A rule stops the same jobs, with the same verdicts.
verdicts() {
  python3 -c 'import csv, sys
rows = csv.DictReader(open(sys.argv[1]))
print(*sorted((row["job"], row["verdict"]) for row in rows), sep="\n")' "$1"
}
run 0 run month.jsonc --policy stalled-gpu -o month-cut
run 0 run ours/scenario.jsonc --policy stalled-gpu --runs 1 -o again-cut
[ "$(verdicts month-cut/stops.csv | wc -l)" -gt 10 ] || fail "few stops"
diff <(verdicts month-cut/stops.csv) <(verdicts again-cut/stops.csv) >stdout ||
  fail "the rule has other verdicts in the replay"
checks=$((checks + 2))

# Weeks drawn anew give each saving an interval; the fit writes a forecast.
run 0 compare ours/scenario.jsonc --baseline as-it-was --json
is_json stdout

# The answer: savings and hurt jobs are those of two replays, of the bill and at list prices.
run 0 compare ours/scenario.jsonc --baseline as-it-was -o answer
has stdout '100.0 % of what instances cost on the bill matches jobs'
python3 "$tools/history_check.py" savings again again-cut answer stalled-gpu 1 ||
  fail "the savings of stalled-gpu differ"
awk -F, -v OFS=, 'NR > 1 { $9 = $9 / 2; } { print }' dump/focus.csv >half.csv
run 0 import history dump/jobs.json half.csv -o half
for policy in as-it-was office-hours; do
  run 0 run half/scenario.jsonc --policy "$policy" --runs 1 -o "half-$policy"
done
run 0 compare half/scenario.jsonc --baseline as-it-was -o half-answer
python3 "$tools/history_check.py" savings half-as-it-was half-office-hours half-answer \
  office-hours 2 || fail "the savings of office-hours differ"
checks=$((checks + 2))
run 0 import history dump/jobs.json half.csv --prices list -o listed
run 0 compare listed/scenario.jsonc --baseline as-it-was
has stdout 'all dollars are at list prices'
run 64 compare ours/scenario.jsonc --precision 5%
has stderr 'more runs do not narrow the interval'
run 0 fit ours/scenario.jsonc -o ours
has stderr 'next: reeve compare ours/forecast.jsonc'
run 0 check ours/forecast.jsonc
run 0 compare ours/forecast.jsonc --baseline as-it-was --runs 2
has stdout 'what each policy would save in 4 weeks like those of the history'
run 0 fit ours/scenario.jsonc -o ours --weeks 9
run 0 compare ours/forecast.jsonc --baseline as-it-was --runs 2 -o month-to-come
has stdout 'what each policy would save in 9 weeks like those of the history'
run 64 fit ours/scenario.jsonc -o ours --weeks 0

# Jobs that still run: the forecast draws the rest of their work, the replay stops them.
python3 - >running.psv <<'PYTHON'
import datetime
start = datetime.datetime(2026, 8, 3)
print("JobID|JobIDRaw|User|State|Submit|Start|End|ElapsedRaw|NNodes|AllocTRES|TimelimitRaw")
for k in range(84):
    at = (start + datetime.timedelta(hours=6 * k)).isoformat()
    took = 3600 * (1 + k % 7)
    end = (start + datetime.timedelta(hours=6 * k, seconds=took)).isoformat()
    state, end = ("COMPLETED", end) if k < 82 else ("RUNNING", "Unknown")
    print(f"{k}|{k}|u{k % 3}|{state}|{at}|{at}|{end}|{took}|1|gres/gpu=8,node=1|600")
PYTHON
run 0 import history running.psv -o running
run 0 check running/scenario.jsonc
lacks stdout 'W0610'
has running/import.md 'the end of 2 jobs: still running'
run 0 fit running/scenario.jsonc -o running
has running/forecast.jsonc ' jobs ended; '
run 0 check running/forecast.jsonc
lacks stdout 'W0610'
run 0 compare running/forecast.jsonc --baseline as-it-was --runs 40 --json
cp stdout once
run 0 compare running/forecast.jsonc --baseline as-it-was --runs 40 --json --threads 1
cmp -s once stdout || fail "the number of threads changes a forecast"
checks=$((checks + 1))

# A bill in the other form has the same dollars, and Slurm the same jobs, waits and times.
run 0 import history dump/jobs.json dump/cur2.csv -o legacy
diff <(grep -A4 '"bill"' ours/import.json) <(grep -A4 '"bill"' legacy/import.json) >stdout ||
  fail "FOCUS and CUR have other dollars"
run 0 import history dump/sacct.psv -o slurm
python3 "$tools/history_check.py" trace month slurm/jobs.csv.gz dump/sacct.names ||
  fail "the trace of Slurm is not the month"
checks=$((checks + 2))
run 0 check slurm/scenario.jsonc

# Metrics of Slurm jobs stop the stalled one; the replay has the same times with and without them.
python3 - >gpus.json <<'PYTHON'
import json
start = 1785546000  # 2026-08-01T01:00:00Z
def gpu(job, busy):
    values = [[start + 60 * k, "90" if k < busy else "0"] for k in range(480)]
    return {"metric": {"__name__": "DCGM_FI_DEV_GPU_UTIL", "Hostname": "n1", "gpu": "0",
                       "hpc_job": job}, "values": values}
print(json.dumps({"status": "success", "data": {
    "resultType": "matrix", "result": [gpu("11", 60), gpu("12", 480), gpu("99", 480)]}}))
PYTHON
header='JobID|JobIDRaw|User|State|Submit|Start|End|ElapsedRaw|NNodes|AllocTRES'
times='2026-08-01T00:55:00|2026-08-01T01:00:00|2026-08-01T09:00:00|28800|1|gres/gpu=1,node=1'
printf '%s\n' "$header" "11|11|ana|TIMEOUT|$times" "12|12|ana|COMPLETED|$times" >idle.psv
run 0 import history idle.psv gpus.json -o measured
has stderr 'warning[W0637]: metrics with 1 name of no job in the files'
run 0 import history idle.psv -o unmeasured
for history in measured unmeasured; do
  run 0 run "$history/scenario.jsonc" --policy as-it-was --runs 1 -o "$history-again"
done
times_of() { cut -d, -f1-19,21- "$1-again/jobs.csv"; }  # all but the work before a stall
diff <(times_of measured) <(times_of unmeasured) >stdout || fail "metrics change the replay"
run 0 run measured/scenario.jsonc --policy stalled-gpu --runs 1 -o measured-cut
[ "$(verdicts measured-cut/stops.csv)" = "('11', 'right')" ] || fail "not one stop"
checks=$((checks + 2))

# No warning of a check for what the import wrote itself: import.md tells it.
{
  printf '%s\n' "$header" "11|11|ana|TIMEOUT|${times%|1|*}|2|gres/gpu=8,node=2"
  echo "12|12|ana|RUNNING|$times"
  echo '13|13|ana|PENDING|2026-08-01T00:55:00|Unknown|Unknown|0|1|gres/gpu=1,node=1'
  echo '14|14|ana|CANCELLED|2026-08-01T00:55:00|None|2026-08-01T01:00:00|0|1|gres/gpu=1,node=1'
} >ends.psv
run 0 import history ends.psv gpus.json -o ends
run 0 check ends/scenario.jsonc
has stdout '0 errors, 0 warnings'
has ends/import.md 'the end of 1 job: still running'
has ends/import.md 'the work of 1 job: never started'
has ends/import.md 'the work of 1 job: still waiting'
sed 's/\("EnableManagedSpotTraining": \)false/\1true/' dump/jobs.json >spot.json
run 0 import history spot.json -o spot
run 0 check spot/scenario.jsonc
has stdout '0 errors, 0 warnings'
has spot/import.md 'interruptions of Spot that other runs would meet'

# Beside jobs of another platform the rule has the verdicts that it has without them.
run 0 import history dump/jobs.json dump/gpu.json idle.psv -o beside
run 0 run beside/scenario.jsonc --policy stalled-gpu --runs 1 -o beside-cut
diff <(verdicts again-cut/stops.csv) <(verdicts beside-cut/stops.csv) >stdout ||
  fail "a Slurm job changes the verdicts"
checks=$((checks + 1))

# Anonymous: no word of the input is in the output, and the key decides the names.
run 0 import history dump/jobs.json dump/focus.csv dump/gpu.json --anonymize --tags team -o hidden
python3 "$tools/no_names_check.py" hidden dump/jobs.json dump/focus.csv dump/gpu.json ||
  fail "a name of the input is in the output"
checks=$((checks + 1))
[ "$(stat -c %a hidden/names.key)" = 600 ] || fail "others may read the key"
cp -r hidden before
run 0 import history dump/jobs.json dump/focus.csv dump/gpu.json --anonymize --tags team -o hidden
diff -r before hidden >stdout || fail "the same input and key gave another output"
run 0 check hidden/scenario.jsonc

# What cannot be used is named; nothing is written over other files.
run 3 import history "$source_root/README.md"
has stderr 'E0390'
mkdir -p mixed/plots && cp dump/jobs.json mixed && cp "$source_root/README.md" mixed
printf '\x89PNG\r\n\x1a\n\0\0' >mixed/plots/loss.png
cp -r ours mixed/ours
run 0 import history mixed -o from-folder
has stderr 'warning[W0636]: left out of the folder: 2 files of no known kind, 1 earlier import'
[ "$(grep -c W0636 stderr)" = 1 ] || fail "more than one warning"
grep -qE '^\| mixed/plots/loss.png +\| left out' from-folder/import.md || fail "no row of the file"
run 3 import history mixed mixed/plots/loss.png
has stderr 'E0390'
tar -czf mixed/dump.tgz dump
run 0 import history mixed -o from-folder
has stderr 'left out of the folder: 2 files of no known kind, 1 tar archive, 1 earlier import'
grep -qE '^\| mixed/dump.tgz +\| left out' from-folder/import.md || fail "no row of the archive"
tar -cf whole.tar dump
run 3 import history dump/jobs.json mixed/dump.tgz missing.json whole.tar
has stderr 'error[E0418]: a tar archive'
has stderr 'tar -xf mixed/dump.tgz -C dump'
has stderr 'tar -xf whole.tar -C dump'
has stderr 'missing.json'
run 3 import sagemaker whole.tar dump/focus.csv
has stderr 'error[E0418]: a tar archive'
has stderr 'error[E0417]: this is a bill in FOCUS, not a description of SageMaker training jobs'
has stderr 'help: reeve import focus dump/focus.csv'

# The bill tells why a part matches no job; many files are one row for each kind.
head -1 dump/focus.csv >strange.csv
sed -n '2s/training-job.[^,]*/training-job\/nobody/p' dump/focus.csv >>strange.csv
run 0 import history dump/jobs.json strange.csv -o strange
has stdout 'not matched: no job of this name'
has strange/import.md 'training-job/nobody train'
job=$(sed -n '2s/.*training-job.\([^,]*\),.*/\1/p' dump/focus.csv)
awk -F, -v OFS=, 'NR == 2 { $1 = $9 = -900; $4 = "late"; print
  $3 = "Credit"; $1 = $9 = -70; print }' dump/focus.csv | cat dump/focus.csv - >credits.csv
run 0 import history dump/jobs.json credits.csv -o credits
has stdout 'not matched: a credit above the cost'
has stdout 'of no job: Credit'
has stdout '1 job ran without a cost on the bill'
has credits/import.md "training-job/$job train"
has credits/import.md '$37.6880'
mkdir many && for i in $(seq 21); do cp dump/jobs.json "many/$i.json"; done
run 0 import history many -o from-many
grep -qE '^ *sagemaker +21 +4,200 ' stdout || fail "the files are no row of their kind"
lacks stdout 'many/7.json'
has from-many/import.md 'many/7.json'
lacks stdout 'part of the bill'
lacks from-many/import.md 'part of the bill'
has stdout 'no bill: dollars are list prices'
mkdir mine && echo notes >mine/notes.txt
run 64 import history dump/jobs.json -o mine
has stderr 'mine has files that are no import of reeve'
run 64 import history dump/jobs.json --as sagemakr
has stderr 'did you mean "sagemaker"?'
run 3 import history dump/jobs.json --timezone CEST
has stderr 'the system has no time zone "CEST"'
run 3 import history dump/focus.csv
has stderr 'E0403'
run 3 import history dump/jobs.json dump/focus.csv dump/cur2.csv
has stderr 'E0415'

# What a user has edited or added is kept, by an import and by a fit.
kept() {
  local file=$1 && shift
  cp -r ours edited && echo '// mine' >>"edited/$file"
  run 64 "$@"
  has stderr 'differs from what'
  has "edited/$file" '// mine'
  rm -r edited
}
for file in scenario.jsonc forecast.jsonc util/notes.txt "$(cd ours && ls util/*.csv | head -1)"; do
  kept "$file" import history dump/jobs.json -o edited
done
kept forecast.jsonc fit edited/scenario.jsonc -o edited

# Of an import before there were checksums, the message says what to remove if nothing is edited.
cp -r ours old && sed -i '/"checksums"/,/}/d' old/import.json
run 64 import history dump/jobs.json -o old
has stderr 'old is the import of an older reeve'
command=$(sed -n 's/.*without edits: \(.*\), then import again.*/\1/p' stderr)
[ "$command" = 'rm -r old/scenario.jsonc old/util' ] || fail "another command: $command"
$command
run 0 import history dump/jobs.json -o old
run 0 import history dump/jobs.json -o old

# An import that was interrupted can be repeated.
rm ours/events.csv && mkdir -p ours/events.csv/mine
run 1 import history dump/jobs.json -o ours
rm -r ours/events.csv
run 0 import history dump/jobs.json dump/gpu.json -o ours
run 0 fit ours/scenario.jsonc -o ours
cp -r ours unmarked && rm unmarked/import.json
run 64 import history dump/jobs.json -o unmarked
has stderr 'if import.json is gone, move the other files away and keep names.key'

# After that, too, a file in util that no import wrote is kept.
echo notes >ours/util/notes.txt
run 64 import history dump/jobs.json -o ours
rm ours/util/notes.txt ours/jobs.csv.gz && mkdir -p ours/jobs.csv.gz/mine
run 1 import history dump/jobs.json -o ours
mkdir -p ours/util && echo notes >ours/util/notes.txt && rm -r ours/jobs.csv.gz
run 64 import history dump/jobs.json -o ours
has stderr 'ours/util differs from what the import wrote'
has ours/util/notes.txt notes
rm -r ours/util
run 0 import history dump/jobs.json dump/gpu.json dump/stops.json -o ours
run 0 fit ours/scenario.jsonc -o ours

# An import leaves nothing of the one before.
cp -r ours named
run 0 import history dump/jobs.json dump/gpu.json -o ours
[ ! -e ours/forecast.jsonc ] && [ ! -e ours/.util.unfinished ] ||
  fail "files of the earlier import stay"

# Nothing with names stays beside an anonymous import.
run 64 import history dump/jobs.json --anonymize -o named
has stderr 'named is an import with names'
has stderr 'use a new directory for --anonymize'
run 0 compare hidden/scenario.jsonc --runs 1 -o hidden/res
run 64 import history dump/jobs.json --anonymize -o hidden
has stderr 'hidden/res may have names'
has stderr 'use a new directory for --anonymize, and --key hidden/names.key'
mkdir loose && touch loose/names.key && mkdir loose/aws
run 64 import history dump/jobs.json --anonymize -o loose
has stderr 'loose/aws'

# Each kind alone, empty replies, and jobs that a replay cannot run.
run 0 import sagemaker dump/jobs.json -o alone.csv
run 0 import focus dump/focus.csv -o bill.csv
[ "$(wc -l <bill.csv)" -gt 100 ] || fail "few uses"
echo '{"Events": []}' >empty.json
sed '2s/gres.gpu=[0-9]*,//' dump/sacct.psv >one-without.psv
run 0 import history one-without.psv empty.json -o less
has stderr 'warning[W0633]: 1 job without GPUs'
run 0 check less/scenario.jsonc
run 0 import history dump/jobs.json dump/sacct.psv -o both
run 0 check both/scenario.jsonc
done_checking

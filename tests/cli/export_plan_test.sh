#!/usr/bin/env bash
# reeve export-plan: a shell script that a person runs; it is tried with programs that answer here.
source "$(dirname "$0")/expect.bash"

run 0 export-plan
is_empty stderr
if [ "${REEVE_BLESS:-}" = 1 ]; then cp stdout "$source_root/tests/cli/export_plan.golden"; fi
diff "$source_root/tests/cli/export_plan.golden" stdout || fail "another script (REEVE_BLESS=1)"

# Each source alone, and all of them, are scripts of POSIX.
for from in sagemaker cur cloudtrail spot-prices aws-batch slurm kubernetes prometheus \
  sagemaker,cur,cloudwatch,cloudtrail,spot-prices,aws-batch,slurm,kubernetes,prometheus; do
  run 0 export-plan --from "$from" --days 30 -o "my dump"
  sh -n stdout || fail "$from: not a script"
  has stdout "days=30"
  has stdout "folder='my dump'"
  if command -v shellcheck > /dev/null; then
    shellcheck -s sh -e SC2016 stdout > problems || fail "$from: $(cat problems)"
  fi
done
[ "$(grep -c '^# sagemaker$' stdout)" = 1 ] || fail "a source twice"
run 0 export-plan --json
is_json stdout

run 64 export-plan --from azure
has stderr 'azure is no source'
has stderr 'prometheus'
run 64 export-plan --from cloudwatch
has stderr '--from sagemaker,cloudwatch'
run 64 export-plan --days 0

# A run of the script, with the cases as answers.
cases=$source_root/../shared/cases/history
if ! command -v jq > /dev/null || [ ! -d "$cases" ]; then
  echo "skipped: the run of the script needs jq and ../shared/cases/history"
  exit 0
fi
mkdir -p bin
cat > bin/aws << STUB
#!/bin/sh
echo "\$*" >> "$PWD/calls"
case "\$*" in
"sagemaker search"*) cat "$cases/sagemaker/search-with-tags.json" ;;
"cloudwatch get-metric-data"*) echo '{"MetricDataResults": []}' ;;
"cloudtrail lookup-events"*) cat "$cases/spot/cloudtrail-lookup.json" ;;
"ec2 describe-spot-price-history"*) cat "$cases/spot/price-history.json" ;;
"batch describe-job-queues"*!=*) echo gpu ;;
"batch describe-job-queues"*) echo sm ;;
"batch list-jobs"*arrayProperties*) echo 0d1d ;;
"batch list-jobs"*--array-job-id*) echo 0d1d:0 ;;
"batch list-jobs"*) printf '0d1c\n0d1d\n' ;;
"batch list-service-jobs"*) echo 5e5e ;;
"batch describe-jobs"*) cat "$cases/batch/describe-jobs.json" ;;
"batch describe-service-job"*) cat "$cases/batch/describe-service-job.json" ;;
*) exit 9 ;;
esac
STUB
cat > bin/kubectl << STUB
#!/bin/sh
case "\$*" in
*pytorch*) cat "$cases/kubernetes/pytorchjob.json" ;;
*" pods "*) cat "$cases/kubernetes/pods.json" ;;
*) echo "the server doesn't have this resource" >&2; exit 1 ;;
esac
STUB
printf '#!/bin/sh\ncat "%s/slurm/tres.psv"\n' "$cases" > bin/sacct
printf '#!/bin/sh\ncat "%s/prometheus/dcgm-matrix.json"\n' "$cases" > bin/curl
chmod +x bin/*
"$REEVE" export-plan --days 2 \
  --from sagemaker,cur,cloudwatch,cloudtrail,spot-prices,aws-batch,slurm,kubernetes,prometheus \
  > export.sh
# export: runs the script; its folder is in `dump`.
export_again() {
  local status=0
  PATH=$PWD/bin:$PATH PROMETHEUS=http://127.0.0.1:9 sh export.sh >stdout 2>stderr || status=$?
  dump=$(sed -n 's/^next: reeve import history //p' stderr)
  return "$status"
}
export_again || fail "the script does not run"
has stderr 'BILL is not set'
has stderr 'or all exports together: reeve import history dump'
cmp "$dump/jobs.json" "$cases/sagemaker/search-with-tags.json" || fail "jobs.json"
for file in cloudtrail-StopTrainingJob.json batch.json sacct.psv pods.json \
  pytorchjobs.kubeflow.org.json; do
  [ -s "$dump/$file" ] || fail "no $file"
done
[ "$(ls "$dump"/dcgm-*.json | wc -l)" = 2 ] || fail "a file of Prometheus per day"
ls "$dump"/gpu-*.json "$dump"/spot-*.json > /dev/null || fail "no metrics or prices"
[ ! -e "$dump/jobs.batch.json" ] || fail "a kind that is not there has a file"
[ -z "$(find dump -name '.*' -type f)" ] || fail "a temporary file is left"
grep -q "describe-jobs.*0d1d:0" calls ||
  fail "tasks of arrays are not described"

# A second export has only what it exported itself, and all together can be imported.
first=$dump
echo 'my notes' > dump/notes.txt
touch "$dump/gpu-old-job.json"
export_again || fail "the script does not run twice"
[ "$dump" != "$first" ] || fail "both exports are in one folder"
[ ! -e "$dump/gpu-old-job.json" ] || fail "a file of the first export is in the second"
[ -e "$first/gpu-old-job.json" ] && [ -e dump/notes.txt ] || fail "files were deleted"
rm "$first/gpu-old-job.json"
run 0 import history dump --as-of 2026-11-30 -o together
run 0 import history "$dump" --as-of 2026-11-30 -o alone
for each in together alone; do zcat "$each/jobs.csv.gz" > "$each.csv"; done
diff together.csv alone.csv > stdout || fail "the same export twice gives other jobs"
checks=$((checks + 1))
printf '#!/bin/sh\nexit 1\n' > no && chmod +x no
mkdir none && for program in aws kubectl sacct curl; do cp no "none/$program"; done
status=0
PATH=$PWD/none:$PATH sh export.sh > stdout 2> stderr || status=$?
[ "$status" = 1 ] || fail "nothing was exported, and the exit status is $status"
has stderr 'nothing was exported'
[ "$(find dump -mindepth 1 -maxdepth 1 -type d | wc -l)" = 2 ] || fail "an empty folder is left"

# Without a permission the rest is exported; without jobs the script fails at its end.
denied() {
  sed "s/^case .*in\$/&\n\"$1\"*) echo AccessDenied >\&2; exit 254 ;;/" bin/aws >aws.new
  cp bin/aws aws.old && cp aws.new bin/aws
  rm -rf dump
  local status=0
  export_again || status=$?
  [ "$status" = "$2" ] || fail "denied $1: exit status $status, not $2"
  has stderr "not exported: $3"
  has stderr 'reeve import history dump'
  [ -z "$(find dump -name '.*' -type f)" ] || fail "denied $1: a temporary file is left"
  [ -s "$dump/sacct.psv" ] || fail "denied $1: nothing after it is exported"
  cp aws.old bin/aws
}
denied 'batch describe-job-queues' 1 'queues of AWS Batch'
[ -s "$dump/jobs.json" ] && [ -s "$dump/cloudtrail-StopTrainingJob.json" ] ||
  fail "the rest is missing"
denied 'batch list-jobs' 1 'the list of AWS Batch queue gpu'
denied 'batch describe-service-job' 1 'job 5e5e of AWS Batch'
[ -s "$dump/batch.json" ] || fail "the jobs of the other queue are missing"
denied 'sagemaker search' 1 'jobs.json'
[ ! -e "$dump/jobs.json" ] && [ -s "$dump/batch.json" ] ||
  fail "an empty jobs.json, or no batch.json"
denied 'cloudtrail lookup-events' 0 'cloudtrail-BidEvictedEvent.json'
denied 'ec2 describe-spot-price-history' 0 'spot-'
denied 'cloudwatch get-metric-data' 0 'gpu-'
echo "$checks checks"

#!/usr/bin/env bash
# The published logs import to the counts that their authors state, and to the canonical traces.
source "$(dirname "$0")/expect.bash"

data=$source_root/../shared/data
[ -d "$data" ] || { echo "SKIPPED: no logs in ../shared/data"; exit 77; }

# totals KEY=VALUE...: what --json said of the log.
totals() {
  python3 - "$@" <<'PYTHON' || fail "other totals"
import json, sys
row = json.load(open("stdout"))["rows"][-1]
for wanted in sys.argv[1:]:
    key, value = wanted.split("=")
    assert abs(row[key] - float(value)) < 5e-5, (key, value, row[key])
PYTHON
  checks=$((checks + 1))
}
as_canonical() {
  zcat "$data/canonical/$1.csv.gz" | cmp -s - got.csv || fail "$1 is another trace"
  checks=$((checks + 1))
}

tar xzf "$data/jobs_ms_itp_elasticflow/raw-traces.tar.gz"
while read -r cluster jobs gpu_hours; do
  rm -f got.csv
  run 0 import ms-itp "cluster$cluster.csv" -o got.csv --json
  totals "jobs=$jobs" "gpu_hours=$gpu_hours"
  as_canonical "ms_itp_cluster$cluster"
done <<'CLUSTERS'
01 1595 22740.1258
02 5778 123748.3628
03 3011 165442.5214
05 3629 14303.1419
07 12699 366799.8131
09 11134 39000.7603
10 260 4023.4914
CLUSTERS

rm -f got.csv
run 0 import philly-jobs "$data/jobs_philly/philly_jobs_sia.csv.gz" -o got.csv --json
totals jobs=64645 gpu_hours=693861.9992 median_s=1587 mean_s=13807 queues=13
# Its jobs have no names: the canonical trace numbers the rows of a longer file.
without_names() { cut -d, -f2- | sort; }
zcat "$data/canonical/philly_sia.csv.gz" | without_names | cmp -s - <(without_names <got.csv) ||
  fail "philly_sia is another trace"

attempts=$data/jobs_philly/philly_attempts_subset_marwage.csv.gz
rm -f got.csv
run 0 import philly-attempts "$attempts" -o got.csv --json
totals jobs=3034 gpu_hours=772360.9350
as_canonical philly_attempts_subset
[ "$(awk -F, 'NR > 1 {n += $17} END {print n}' got.csv)" = 4490 ] || fail "not 4,490 attempts"

openb=$data/jobs_alibaba_openb_2023
rm -f got.csv
run 0 import openb "$openb/openb_pod_list_default.csv.gz" -o got.csv --json
totals jobs=8152 with_gpus=7064
as_canonical alibaba_openb_default
run 0 import openb-nodes "$openb/openb_node_list_all_node.csv.gz" --json
totals nodes=1523 gpus=6212

run 0 import swf "$data/swf/NASA-iPSC-1993-3.1-cln.swf.gz" --json
totals jobs=18239

# Every canonical trace imports into itself, but for the order of jobs submitted together.
for trace in "$data"/canonical/*.csv.gz; do
  rm -f got.csv again.csv
  run 0 import csv "$trace" -o got.csv
  run 0 import csv got.csv -o again.csv
  cmp -s got.csv again.csv || fail "$trace does not import into itself"
  diff <(zcat "$trace" | sort) <(sort got.csv) >stdout || fail "$trace became another trace"
  rm -f got.csv again.csv
done

done_checking

#!/usr/bin/env bash
# reeve pack: rules on nodes that tasks share, until they are full and as tasks came; what files may
# not hold.
source "$(dirname "$0")/expect.bash"

cat > nodes.csv <<'CSV'
sn,cpu_milli,memory_mib,gpu,model,count
a,8000,16384,2,T4,2
CSV
cat > tasks.csv <<'CSV'
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,scheduled_time,deletion_time
t1,1000,1024,1,500,,0,0,100
t2,1000,1024,1,500,,0,0,100
t3,1000,1024,2,1000,T4,10,10,30
t4,1000,1024,2,1000,,20,20,40
t5,0,1024,0,0,,20,20,30
t6,1000,1024,1,1000,,20,,
CSV

# best_fit has both halves on one GPU, so that a whole node is left; worst_fit has them apart.
run 0 pack nodes.csv tasks.csv --replay --rule best_fit,worst_fit --json
is_json stdout
python3 - <<'PYTHON' || fail "the replay is not as worked out by hand"
import json
rows = {row["rule"]: row for row in json.load(open("stdout"))["rows"]}
# Two GPUs from 10 to 30, then again to 50: t4 waits for 10 s, of five tasks.
assert rows["best_fit"]["mean_wait_s"] == 2, rows
assert rows["best_fit"]["longest_wait_s"] == 10, rows
assert rows["best_fit"]["waited_pct"] == 20, rows
assert rows["best_fit"]["peak_allocated_pct"] == 75, rows
# 2 × 500 for 100 s and 2,000 for 40 s, of 4,000 for 100 s.
assert abs(rows["best_fit"]["mean_allocated_pct"] - 45) < 1e-9, rows
# Each half on a node of its own: no node has two whole GPUs before 100 s.
assert rows["worst_fit"]["mean_wait_s"] == (90 + 80) / 5, rows
assert rows["worst_fit"]["mean_wait_difference_s"] == 32, rows
PYTHON
run 0 pack nodes.csv tasks.csv --replay --rule best_fit
has stdout '1 task without scheduled_time or deletion_time'

run 0 pack nodes.csv tasks.csv --runs 5 -o packed.csv
has stdout 'fgd'
has stdout '2 nodes'
has stderr 'next: reeve pack nodes.csv tasks.csv --replay'
python3 - <<'PYTHON' || fail "the table does not say what was packed"
import csv
rows = list(csv.DictReader(open("packed.csv")))
assert len(rows) == 8 * 5, len(rows)
for row in rows:
    assert 0 < int(row["allocated_gpu_milli"]) <= int(row["gpu_milli"]) == 4000, row
    assert int(row["placed"]) <= int(row["tasks"]), row
PYTHON
cp packed.csv before.csv
run 0 pack nodes.csv tasks.csv --runs 5 -o packed.csv
cmp packed.csv before.csv || fail "the same seed gave other numbers"
run 0 pack nodes.csv tasks.csv --runs 5 --seed 2 -o packed.csv
cmp -s packed.csv before.csv && fail "another seed gave the same numbers"

echo precious > notes.txt
run 64 pack nodes.csv tasks.csv -o notes.txt
grep -q precious notes.txt || fail "a file of somebody else was overwritten"
run 64 pack nodes.csv tasks.csv --rule best_fti
has stderr 'did you mean "best_fit"?'
run 64 pack nodes.csv tasks.csv --replay --load 100
has stderr '--load cannot be combined with --replay'
cut -d, -f1-6 tasks.csv > untimed.csv
run 64 pack nodes.csv untimed.csv --replay
has stderr 'creation_time'
run 3 pack nodes.csv none.csv
has stderr 'none.csv'

wrong() {  # wrong CODE NODE-ROW TASK-ROW
  printf 'cpu_milli,memory_mib,gpu,model\n%s\n' "$2" > n.csv
  printf 'cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n%s\n' "$3" > t.csv
  run 3 pack n.csv t.csv
  has stderr "error[$1]"
  has stderr ':2:'
}
wrong E0315 1000,1024,17,T4 1000,1024,1,500,
wrong E0317 ,1024,1,T4 1000,1024,1,500,
wrong E0314 -1,1024,1,T4 1000,1024,1,500,
wrong E0315 1000,1024,2,T4 1000,1024,2,500,
wrong E0315 1000,1024,2,T4 1000,1024,1,1001,
wrong E0315 1000,1024,2,T4 1000,1024,1,0,
wrong E0313 1000,1024,2,T4 1000,1024,one,500,
run 3 pack tasks.csv tasks.csv
has stderr 'error[E0321]'
printf 'cpu_milli,memory_mib,gpu\n1000,1024,0\n' > n.csv
run 3 pack n.csv tasks.csv
has stderr 'error[E0320]'
printf 'cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n1000,1024,1,500,T5\n' > t.csv
run 0 pack nodes.csv t.csv --runs 2
has stderr 'warning[W0324]'
has stderr 'did you mean "T4"?'
printf 'cpu_milli,memory_mib,num_gpu,gpu_milli\n1000,1024,0,0\n' > t.csv
run 64 pack nodes.csv t.csv
has stderr 'no task requests a GPU'

# A long fill ends as soon as it is asked to.
printf 'cpu_milli,memory_mib,gpu,count\n64000,1024000,8,100000\n' > many.csv
printf 'cpu_milli,memory_mib,num_gpu,gpu_milli\n500,1,1,500\n' > parts.csv
"$REEVE" pack many.csv parts.csv --rule best_fit --runs 1 > /dev/null 2> /dev/null &
running=$!
sleep 1
kill -TERM "$running" 2> /dev/null || fail "it was over before it could be interrupted"
ended=0
wait "$running" || ended=$?
[ "$ended" = 130 ] || fail "exit $ended after it was asked to end"
printf 'cpu_milli,memory_mib,gpu,count\n1,1,1,100000\n1,1,1,1\n' > many.csv
run 3 pack many.csv parts.csv
has stderr 'more than 100000 nodes'

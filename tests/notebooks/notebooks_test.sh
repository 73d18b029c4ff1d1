#!/usr/bin/env bash
# Every notebook runs from its first cell to its last, and its last cell shows a picture. It reads
# CSV tables made here: of the gallery, of a sweep, of queues with shares and of a recorded trace.
source "$(dirname "$0")/python.bash"

command -v jupyter-nbconvert >/dev/null || {
  echo "jupyter-nbconvert is missing: nothing was checked" >&2
  exit 1
}
notebooks=(notebooks/*.ipynb)
[ ${#notebooks[@]} -eq 4 ] || {
  echo "expected four notebooks, found: ${notebooks[*]}" >&2
  exit 1
}

# execute NAME NOTEBOOK...: on the export NAME.
execute() {
  local name=$1
  shift
  echo "on $name: $*"
  REEVE_OUT=$REEVE_SCRATCH/results/$name jupyter-nbconvert --log-level WARN \
    --to notebook --execute --ExecutePreprocessor.kernel_name=python3 \
    --ExecutePreprocessor.timeout=300 \
    --output-dir "$REEVE_SCRATCH/executed/$name" "$@"
  python3 tests/notebooks/pictures.py "$REEVE_SCRATCH/executed/$name" "$@"
}
# compare FILE: writes its tables to the export of the same name.
compare() {
  "$REEVE" compare "$1" -o "$REEVE_SCRATCH/results/$(basename "$1" .jsonc)" >/dev/null
}

for name in stalled-weekend drawn-stalls; do
  compare "scenarios/gallery/$name.jsonc"
  execute "$name" "${notebooks[@]}"
done

compare scenarios/gallery/queueing-replay.jsonc  # a reserved fleet; no alarm, no stop
execute queueing-replay notebooks/{finops,platform,scheduler}.ipynb

compare tests/notebooks/three-teams.jsonc
execute three-teams notebooks/research_lead.ipynb

compare tests/notebooks/evaluations.jsonc
export REEVE_SWEEP=$REEVE_SCRATCH/results/sweep
"$REEVE" sweep tests/notebooks/evaluations.jsonc -o "$REEVE_SWEEP" \
  --set policies.alarm.stalled_gpu.period=1m,2m,3m,5m,10m,20m \
  --set 'policies.alarm.stalled_gpu.datapoints=[1,1],[3,3],[6,6]' >/dev/null
execute evaluations notebooks/platform.ipynb
unset REEVE_SWEEP

# The recorded traces are not part of this repository.
trace=$(pwd)/../shared/data/canonical/ms_itp_cluster01.csv.gz
if [ -f "$trace" ]; then
  cp "$trace" tests/notebooks/recorded-trace.jsonc "$REEVE_SCRATCH"
  compare "$REEVE_SCRATCH/recorded-trace.jsonc"
  execute recorded-trace notebooks/scheduler.ipynb
else
  echo "SKIPPED: scheduler.ipynb on a recorded trace, because ../shared/data has no traces"
fi

#!/usr/bin/env bash
# notebooks/reeve_tables.py: its checks, errors and intervals, on an export made here.
source "$(dirname "$0")/python.bash"

"$REEVE" compare scenarios/gallery/drawn-stalls.jsonc -o "$REEVE_SCRATCH/export" >/dev/null
examples=$REEVE_SCRATCH/examples
mkdir "$examples"
"$REEVE" compare scenarios/gallery/stalled-weekend.jsonc -o "$examples/out/weekend" >/dev/null
MPLBACKEND=agg PYTHONPATH=notebooks \
  python3 -W error::FutureWarning tests/notebooks/reeve_tables_test.py -v

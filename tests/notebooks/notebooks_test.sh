#!/usr/bin/env bash
# Every notebook runs from its first cell to its last, on the CSV tables of the gallery made here.
# A notebook finds them in the folder REEVE_OUT.
set -euo pipefail

# Debian's Python, which has Debian's pandas, whatever other one stands first in the path; and no
# kernel or setting of the person who runs this.
export PATH=/usr/bin:/bin
rm -rf "$REEVE_SCRATCH"
mkdir -p "$REEVE_SCRATCH"
export JUPYTER_DATA_DIR=$REEVE_SCRATCH/jupyter JUPYTER_CONFIG_DIR=$REEVE_SCRATCH/jupyter
export IPYTHONDIR=$REEVE_SCRATCH/ipython MPLCONFIGDIR=$REEVE_SCRATCH/matplotlib MPLBACKEND=agg

command -v jupyter-nbconvert >/dev/null || {
  echo "jupyter-nbconvert is missing: nothing was checked" >&2
  exit 1
}
notebooks=(notebooks/*.ipynb)
[ -f "${notebooks[0]}" ] || {
  echo "there is no notebook: nothing was checked" >&2
  exit 1
}
scenarios=(scenarios/gallery/{stalled-weekend,queueing-replay,drawn-stalls}.jsonc)
for scenario in "${scenarios[@]}"; do
  export REEVE_OUT=$REEVE_SCRATCH/results/$(basename "$scenario" .jsonc)
  "$REEVE" compare "$scenario" -o "$REEVE_OUT" >/dev/null
  for notebook in "${notebooks[@]}"; do
    echo "$notebook on $scenario"
    jupyter-nbconvert --log-level WARN --to notebook --execute \
      --ExecutePreprocessor.kernel_name=python3 --ExecutePreprocessor.timeout=300 \
      --output-dir "$REEVE_SCRATCH/executed" "$notebook"
  done
done

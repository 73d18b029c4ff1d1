# Sourced by the tests here. Debian's Python, which has Debian's pandas, whatever other one stands
# first in the path; and no kernel or setting of the person who runs this.
set -euo pipefail

export PATH=/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 PYDEVD_DISABLE_FILE_VALIDATION=1
rm -rf "$REEVE_SCRATCH"
mkdir -p "$REEVE_SCRATCH"
export JUPYTER_DATA_DIR=$REEVE_SCRATCH/jupyter JUPYTER_CONFIG_DIR=$REEVE_SCRATCH/jupyter
export IPYTHONDIR=$REEVE_SCRATCH/ipython MPLCONFIGDIR=$REEVE_SCRATCH/matplotlib
unset MPLBACKEND REEVE_OUT REEVE_SWEEP REEVE_TAG REEVE_GROUP REEVE_PARTIAL

# Sourced by the tests: runs the program in a folder of its own and says what came out otherwise.
set -euo pipefail

: "${REEVE:?the program to test}"
REEVE=$(realpath "$REEVE")
source_root=$PWD
scratch=${REEVE_SCRATCH:-$(mktemp -d)}
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
checks=0

fail() {
  echo "FAILED: $*" >&2
  echo "--- stdout" >&2
  head -n 60 stdout >&2 || true
  echo "--- stderr" >&2
  head -n 60 stderr >&2 || true
  exit 1
}

# run CODE ARGUMENT...: the program ends with CODE; its output is in stdout and stderr.
run() {
  local wanted=$1 status=0
  shift
  "$REEVE" "$@" >stdout 2>stderr </dev/null || status=$?
  [ "$status" -eq "$wanted" ] || fail "reeve $*: exit status $status, not $wanted"
  checks=$((checks + 1))
}

# has STREAM TEXT, lacks STREAM TEXT: a literal text.
has() {
  grep -qF -- "$2" "$1" || fail "$1 lacks: $2"
  checks=$((checks + 1))
}
lacks() {
  ! grep -qF -- "$2" "$1" || fail "$1 holds: $2"
  checks=$((checks + 1))
}
is_empty() {
  [ ! -s "$1" ] || fail "$1 is not empty"
  checks=$((checks + 1))
}
is_json() {
  python3 -m json.tool "$1" >/dev/null || fail "$1 is not JSON"
  checks=$((checks + 1))
}
done_checking() {
  [ "$checks" -gt 0 ] || fail "nothing was checked"
  echo "$checks checks passed"
}

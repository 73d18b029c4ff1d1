#!/usr/bin/env bash
# The same scenario, seed and version give the same bytes from every build and with any number of
# threads: all tables and the digests of all journals. Arguments: the programs to compare, the first
# of which runs twice; with `--scenarios FOLDER` in front, that folder's *.jsonc instead of the
# gallery and the acceptance scenarios.
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")

# Writes the digest of every file that PROGRAM makes of SCENARIO; 99 is an `expect` that is untrue.
digests() {
  local program=$1 scenario=$2 threads=$3 status=0
  rm -rf "$scratch/run"
  mkdir "$scratch/run"
  (cd "$scratch/run" && "$program" compare "$scenario" -o out --threads "$threads") \
    >"$scratch/log" 2>&1 || status=$?
  if [ $status -ne 0 ] && [ $status -ne 99 ]; then
    echo "$program compare $scenario: exit status $status" >&2
    cat "$scratch/log" >&2
    return 1
  fi
  (cd "$scratch/run/out" && find . -type f -print0 | sort -z | xargs -0 -r sha256sum)
}

# One scenario from all programs.
compare_one() {
  local scenario=$1 program
  shift
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  digests "$1" "$scenario" 1 >"$scratch/first"
  [ -s "$scratch/first" ] || {
    echo "$1 compare $scenario wrote no file: nothing was compared" >&2
    return 1
  }
  for program in "$@"; do
    digests "$program" "$scenario" 2 >"$scratch/other"
    diff -u --label "$1" --label "$program" "$scratch/first" "$scratch/other" || {
      echo "$scenario: $1 and $program differ" >&2
      return 1
    }
  done
  echo "same bytes: ${scenario#"$root"/} ($(wc -l <"$scratch/first") files, $# builds)"
}

if [ "${1:-}" = --one ]; then
  shift
  compare_one "$@"
  exit
fi

usage="usage: tests/same_bytes.sh [--scenarios FOLDER] PROGRAM PROGRAM..."
folders=("$root"/scenarios/gallery "$root"/tests/rules "$root"/tests/scenarios)
if [ "${1:-}" = --scenarios ]; then
  folders=("$(realpath "${2:?$usage}")")
  shift 2
fi
[ $# -ge 2 ] || {
  echo "$usage" >&2
  exit 64
}
mapfile -t programs < <(realpath "$@")
mapfile -t scenarios < <(find "${folders[@]}" -name '*.jsonc' 2>/dev/null | sort)
[ ${#scenarios[@]} -gt 0 ] || {
  echo "no scenario under ${folders[*]}: nothing was compared" >&2
  exit 1
}
# One process for each core. Status 255 of a process makes xargs stop.
export root
printf '%s\0' "${scenarios[@]}" |
  xargs -0 -P "$(nproc)" -I SCENARIO \
    bash -c 'bash "$root/tests/same_bytes.sh" --one "$@" || exit 255' - SCENARIO "${programs[@]}"

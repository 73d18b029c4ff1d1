#!/usr/bin/env bash
# The same scenario, seed and version give the same bytes from every build and with any number of
# threads: all tables and the digests of all journals. Arguments: the programs to compare, the first
# of which runs twice. Options come first: `--at-most-runs N` for fewer replications of a scenario
# that has more; `--scenarios FOLDER` for that folder's *.jsonc instead of the gallery and the
# acceptance scenarios.
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")

# The replications that SCENARIO asks for.
most_runs() {
  grep -oE '"runs": *[0-9]+' "$1" | grep -oE '[0-9]+' | sort -n | tail -n 1 | grep . || echo 1
}

# Writes the digest of every file that PROGRAM makes of SCENARIO; 99 is an `expect` that is untrue.
digests() {
  local program=$1 scenario=$2 threads=$3 status=0 fewer=()
  if [ "$(most_runs "$scenario")" -gt "${at_most_runs:-1000000}" ]; then
    fewer=(--runs "$at_most_runs")
  fi
  rm -rf "$scratch/run"
  mkdir "$scratch/run"
  (cd "$scratch/run" && "$program" compare "$scenario" -o out --threads "$threads" "${fewer[@]}") \
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

usage="usage: tests/same_bytes.sh [--at-most-runs N] [--scenarios FOLDER] PROGRAM PROGRAM..."
folders=("$root"/scenarios/gallery "$root"/tests/rules "$root"/tests/scenarios)
while [[ "${1:-}" == --* ]]; do
  case $1 in
    --at-most-runs) export at_most_runs=${2:?$usage} ;;
    --scenarios) folders=("$(realpath "${2:?$usage}")") ;;
    *)
      echo "$usage" >&2
      exit 64
      ;;
  esac
  shift 2
done
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

#!/usr/bin/env bash
# Every C++ source is as clang-format leaves it; a missing tool or no source at all is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v clang-format >/dev/null || {
  echo "clang-format is missing: nothing was checked" >&2
  exit 1
}
mapfile -d '' sources < <(find . \( -path './.*' -o -path ./build -o -path ./out \) -prune -o \
  \( -name '*.cpp' -o -name '*.hpp' \) -print0)
[ ${#sources[@]} -gt 0 ] || {
  echo "no source was found: nothing was checked" >&2
  exit 1
}
printf '%s\0' "${sources[@]}" | xargs -0 -n 20 -P "$(nproc)" clang-format --dry-run -Werror
echo "${#sources[@]} sources are formatted"

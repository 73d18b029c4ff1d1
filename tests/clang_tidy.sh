#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy over the sources of the program; the tests are covered
# by the compiler's warnings. Argument: a build folder of clang++ with compile_commands.json.
# A file that came out clean is not looked at again until something it was made of changes.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: tests/clang_tidy.sh BUILD_FOLDER}
command -v clang-tidy >/dev/null || {
  echo "clang-tidy is missing: nothing was checked" >&2
  exit 1
}
# Every folder but the made ones and those of the tests.
mapfile -t files < <(find . \( -path './.*' -o -path ./build -o -path ./out -o -path ./tests \
  -o -path ./bench -o -path ./cmake \) -prune -o \( -name '*.cpp' -o -name '*.hpp' \) -print | sort)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep '\.cpp$')
[ ${#sources[@]} -gt 0 ] || {
  echo "no source was found: nothing was checked" >&2
  exit 1
}

# One digest over every source and header: coarse, and never wrong.
tree=$(sha256sum "${files[@]}" .clang-tidy | sha256sum | cut -c1-64)
stamp=$build/clang_tidy_was_clean
if [ "$(cat "$stamp" 2>/dev/null)" = "$tree" ]; then
  echo "${#sources[@]} sources, unchanged since they were clean"
  exit 0
fi
printf '%s\0' "${sources[@]}" | xargs -0 -n 2 -P "$(nproc)" clang-tidy -p "$build" --quiet 2>&1 |
  { grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?generated' || true; }
echo "$tree" >"$stamp"
echo "${#sources[@]} sources are clean"

#!/usr/bin/env bash
# F15: a further attempt differs from the first only in what the rule was told to change.
source "$(dirname "$0")/expect.bash"

# changes POLICY: the fields in which the two submissions of the job differ.
changes() {
  local file=$source_root/tests/scenarios/f51-clone-without-tags.jsonc
  run 0 run "$file" -p "$1" --journal "$1.journal"
  python3 - "$1.journal" <<'PYTHON'
import sys

submitted = []
for line in open(sys.argv[1]):
    if line.startswith("job_submitted "):
        submitted.append(dict(field.split("=", 1) for field in line.split()[1:]))
first, clone = submitted
assert first.keys() == clone.keys()
print(" ".join(key for key in first if first[key] != clone[key]))
PYTHON
}

changed=$(changes faithful)
[ "$changed" = "at attempt origin" ] || fail "a faithful clone differs in: $changed"
changed=$(changes lossy)
[ "$changed" = "at attempt origin tags" ] || fail "a clone without tags differs in: $changed"
checks=$((checks + 2))
done_checking

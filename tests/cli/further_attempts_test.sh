#!/usr/bin/env bash
# F15: a further attempt differs from the first only in what the rule was told to change.
# F88: a relaunch is the stored request again, and differs in nothing.
source "$(dirname "$0")/expect.bash"

# changes RULE/SCENARIO POLICY: the fields in which the two submissions of the job differ.
changes() {
  run 0 run "$source_root/tests/rules/$1.jsonc" -p "$2" --journal run.journal
  python3 - run.journal <<'PYTHON'
import sys

submitted = []
for line in open(sys.argv[1]):
    if line.startswith("job_submitted "):
        submitted.append(dict(field.split("=", 1) for field in line.split()[1:]))
first, *clones = submitted
assert clones
for clone in clones:
    assert first.keys() == clone.keys()
print(" ".join(key for key in first if any(first[key] != clone[key] for clone in clones)))
PYTHON
}

changed=$(changes resume/clone-without-tags faithful)
[ "$changed" = "at attempt origin" ] || fail "a faithful clone differs in: $changed"
changed=$(changes resume/clone-without-tags lossy)
[ "$changed" = "at attempt origin tags" ] || fail "a clone without tags differs in: $changed"
changed=$(changes resume/restart-with-changes as-it-was)
[ "$changed" = "at attempt origin" ] || fail "a restart without changes differs in: $changed"
changed=$(changes resume/restart-with-changes longer)
[ "$changed" = "at attempt origin max_runtime" ] || fail "a longer restart differs in: $changed"
changed=$(changes resume/restart-with-changes elsewhere)
[ "$changed" = "at attempt origin max_runtime pool type" ] ||
  fail "a restart elsewhere differs in: $changed"
changed=$(changes relaunch/preempted-jobs-list list)
[ "$changed" = "at attempt origin" ] || fail "a relaunch differs in: $changed"
checks=$((checks + 6))
done_checking

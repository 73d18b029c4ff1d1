#!/usr/bin/env bash
# F11: one interruption takes a job through nine secondary states; its primary status shows two.
source "$(dirname "$0")/expect.bash"

run 0 run "$source_root/tests/rules/stalled_gpu/interrupted-one-alarm.jsonc" -p alarm -o out
python3 - <<'PYTHON' || fail "the events of an interrupted job are others"
import csv

rows = list(csv.DictReader(open("out/events.csv")))
rows.sort(key=lambda row: (float(row["t_s"]), int(row["seq"])))
secondary = [row["secondary"] for row in rows]
assert secondary == [
    "Starting", "Downloading", "Training", "Interrupted",
    "Starting", "Downloading", "Training", "Uploading", "Completed",
], secondary
primary = [row["primary"] for row in rows]
assert primary == ["InProgress"] * 8 + ["Completed"], primary
# 5 min startup, interrupted after 1 h, 10 min away, 5 min startup, 10 h of work.
times = [float(row["t_s"]) for row in rows]
assert times == [0, 0, 300, 3900, 4500, 4500, 4800, 40800, 40800], times
assert not any(row["duplicate_of"] for row in rows)
PYTHON
checks=$((checks + 1))
done_checking

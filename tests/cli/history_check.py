"""Compares a run with the replay of its import: jobs, end status, dollars.

usage: history_check.py RUN REPLAY
"""
import csv
import sys


def jobs(directory):
    with open(f"{directory}/jobs.csv", newline="") as file:
        return {row["job"]: row for row in csv.DictReader(file)}


before, after = jobs(sys.argv[1]), jobs(sys.argv[2])
first = min(float(row["submit_s"]) for row in before.values())
problems = []
if set(before) != set(after):
    problems.append(f"jobs: {len(before)} and {len(after)}")
for name in sorted(set(before) & set(after)):
    old, new = before[name], after[name]
    for key in ("status", "instances", "instance_type", "tags_json"):
        if old[key] != new[key]:
            problems.append(f"{name} {key}: {old[key]} and {new[key]}")
    for key, shift, near in (("submit_s", first, 1e-3), ("end_s", first, 1), ("billed_usd", 0, 0.05)):
        if abs(float(old[key]) - shift - float(new[key])) > near:
            problems.append(f"{name} {key}: {float(old[key]) - shift} and {new[key]}")
total = [sum(float(row["billed_usd"]) for row in each.values()) for each in (before, after)]
if abs(total[0] - total[1]) > 0.01 * total[0]:
    problems.append(f"dollars: {total[0]:.2f} and {total[1]:.2f}")
print(f"{len(before)} jobs, ${total[0]:.2f} and ${total[1]:.2f}")
for line in problems[:20]:
    print(line, file=sys.stderr)
sys.exit(1 if problems else 0)

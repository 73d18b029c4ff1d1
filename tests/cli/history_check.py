"""Compares a run with what its exports say after they are imported.

usage: history_check.py replay RUN REPLAY
       history_check.py trace RUN TRACE NAMES
       history_check.py savings RUN CUT ANSWER POLICY LIST

replay: jobs, ends and dollars of two runs. trace: jobs, waits and times with instances of a run and
of an imported trace. NAMES has a line "ID NAME" for each job. savings: dollars and hurt jobs of the run without and the run with POLICY,
as the tables of the comparison have them; list prices are LIST times those paid.
"""
import csv
import gzip
import json
import sys


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def jobs(directory):
    return {row["job"]: row for row in table(f"{directory}/jobs.csv")}


def replay(run, again):
    before, after = jobs(run), jobs(again)
    first = min(float(row["submit_s"]) for row in before.values())
    problems = []
    if set(before) != set(after):
        problems.append(f"jobs: {len(before)} and {len(after)}")
    for name in sorted(set(before) & set(after)):
        old, new = before[name], after[name]
        old_tags, new_tags = (json.loads(row["tags_json"] or "{}") for row in (old, new))
        new_tags.pop("username", None)  # who created it, from the trail
        if old_tags != new_tags:
            problems.append(f"{name} tags: {old_tags} and {new_tags}")
        for key in ("status", "instances", "instance_type"):
            if old[key] != new[key]:
                problems.append(f"{name} {key}: {old[key]} and {new[key]}")
        for key, shift, near in (("submit_s", first, 1e-3), ("end_s", first, 1),
                                 ("billed_usd", 0, 0.05)):
            if abs(float(old[key]) - shift - float(new[key])) > near:
                problems.append(f"{name} {key}: {float(old[key]) - shift} and {new[key]}")
    total = [sum(float(row["billed_usd"]) for row in each.values()) for each in (before, after)]
    if abs(total[0] - total[1]) > 0.01 * total[0]:
        problems.append(f"dollars: {total[0]:.2f} and {total[1]:.2f}")
    print(f"{len(before)} jobs, ${total[0]:.2f} and ${total[1]:.2f}")
    return problems


def trace(run, path, names):
    before = jobs(run)
    ends = {row["job"]: row for row in table(f"{run}/attempts.csv")}
    with open(names) as file:
        known = dict(line.split() for line in file)
    with gzip.open(path, "rt", newline="") as file:
        after = {known[row["job_id"]]: row for row in csv.DictReader(file)}
    problems = [] if set(before) == set(after) else [f"jobs: {len(before)} and {len(after)}"]
    words = {"Completed": ["completed"], "Stopped": ["killed", "timeout"], "Failed": ["failed"]}
    for name in sorted(set(before) & set(after)):
        old, new, attempt = before[name], after[name], ends[name]
        if new["end_status"] not in words[old["status"]]:
            problems.append(f"{name}: {old['status']} and {new['end_status']}")
        for what, have, want in (
                ("wait", float(attempt["start_s"]) - float(old["submit_s"]), new["observed_wait_s"]),
                ("time", float(attempt["end_s"]) - float(attempt["start_s"]), new["duration_s"]),
                ("GPUs", 8 * float(old["instances"]), new["gpus_total"])):
            if abs(have - float(want)) > 1.001:
                problems.append(f"{name} {what}: {have} and {want}")
    print(f"{len(before)} jobs")
    return problems


def savings(run, cut, answer, policy, list_price):
    before, after = jobs(run), jobs(cut)
    saved = sum(float(before[name]["billed_usd"]) - float(after[name]["billed_usd"])
                for name in before)
    done = {name for name in before if before[name]["status"] == "Completed"}
    hurt = {name for name in done if after[name]["status"] != "Completed"}
    row = next(row for row in table(f"{answer}/savings.csv") if row["policy"] == policy)
    told = {row["job"] for row in table(f"{answer}/hurt_jobs.csv")
            if row["policy"] == policy and not row["later_s"]}
    problems = [] if hurt == told else [f"hurt: {sorted(hurt ^ told)[:5]}"]
    if int(row["jobs_without_result"]) != len(hurt):
        problems.append(f"without result: {row['jobs_without_result']} and {len(hurt)}")
    for key, want in (("saved_usd", saved), ("list_usd", float(list_price) * saved)):
        if abs(float(row[key]) - want) > 0.02:
            problems.append(f"{key}: {row[key]} and {want:.6f}")
    print(f"${saved:.2f} saved, {len(hurt)} hurt")
    return problems


checks = {"replay": replay, "trace": trace, "savings": savings}
found = checks[sys.argv[1]](*sys.argv[2:])
for line in found[:20]:
    print(line, file=sys.stderr)
sys.exit(1 if found else 0)

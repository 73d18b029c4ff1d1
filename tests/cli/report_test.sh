#!/usr/bin/env bash
# The report: one file from the tables of a directory, and what happens to damaged directories.
source "$(dirname "$0")/expect.bash"

gallery=$source_root/scenarios/gallery

# compare --html and report write the same bytes, without -o beside out/NAME.
cp "$gallery/stalled-weekend.jsonc" weekend.jsonc
run 0 compare weekend.jsonc --html
has stderr 'report: out/weekend/index.html'
read -ra next < <(sed -n 's/^ next: reeve //p' stdout)
run 0 "${next[@]}"
has stdout 'big-train'
cp out/weekend/index.html first.html
run 0 report out/weekend
[ "$(cat stdout)" = out/weekend/index.html ] || fail "report names another file"
cmp first.html out/weekend/index.html || fail "report writes other bytes than compare --html"
run 0 report out/weekend -o elsewhere/page.html --title 'Idle </title> & GPUs'
has elsewhere/page.html '<title>Idle &lt;/title&gt; &amp; GPUs</title>'
has elsewhere/page.html '"title":"Idle \u003c/title> & GPUs"'
run 0 report out/weekend --json
python3 - <<'PYTHON' || fail "--json names no file"
import json
assert json.load(open("stdout")) == {"wrote": ["out/weekend/index.html"]}, open("stdout").read()
PYTHON

# It needs no other file, and its data are those of the tables.
lacks out/weekend/index.html 'src="http'
lacks out/weekend/index.html "@import"
[ "$(grep -c '</script>' out/weekend/index.html)" -eq 2 ] || fail "not two scripts"
python3 - <<'PYTHON' || fail "the data are not those of the tables"
import csv, json, re
page = open("out/weekend/index.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="reeve-data">(.*?)</script>', page, re.S).group(1))
runs = {row["policy"]: row for row in csv.DictReader(open("out/weekend/runs.csv"))}
assert [policy["name"] for policy in data["policies"]] == list(runs)
for bill in data["bill"]:
    row = runs[bill["policy"]]
    assert bill["billed_usd"] == float(row["billed_usd"])
    for part in bill["parts"]:
        assert part["usd"] == float(row[part["use"] + "_usd"]), part
    assert abs(sum(part["usd"] for part in bill["parts"]) - bill["billed_usd"]) < 1e-6
# The time of each job is divided without a gap, and its parts are as long as the bill says.
jobs = {of["policy"]: of["jobs"][0] for of in data["gantt"]}
for policy, job in jobs.items():
    ends = [part[1] for part in job["parts"][:-1]]
    starts = [part[0] for part in job["parts"][1:]]
    assert ends == starts, job
    stalled = sum(b - a for a, b, what in job["parts"] if what == "stalled")
    assert abs(stalled / 3600 * 240 - float(runs[policy]["stalled_usd"])) < 1e-4, (policy, stalled)
    assert job["parts"][-1][1] - job["submit_s"] == 515100 or policy == "alarm+resume"
stop = [row for row in data["decisions"]["rows"] if row["action"] == "stop_job"][0]
assert stop["cost_if_not_usd"] == 16967.866667, stop
PYTHON

# Many decisions and jobs are cut, and their number is told.
run 0 compare "$gallery/drawn-stalls.jsonc" --html -o stalls
python3 - <<'PYTHON' || fail "distributions are not those of the tables"
import csv, json, re
page = open("stalls/index.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="reeve-data">(.*?)</script>', page, re.S).group(1))
rows = list(csv.DictReader(open("stalls/jobs.csv")))
for of in data["cdf"]:
    values = sorted(float(row[of["metric"]]) for row in rows
                    if row["run_id"].rsplit("/", 1)[0] == of["policy"] and row[of["metric"]])
    jobs = sum(row["run_id"].rsplit("/", 1)[0] == of["policy"] for row in rows)
    # The part of all jobs: those without a result never reach it.
    assert of["jobs"] == jobs and of["x"][-1] == values[-1], of
    assert abs(of["p"][-1] - len(values) / jobs) < 1e-12, of
    ranks = [-(-jobs * percent // 100) for percent in (50, 90, 99)]  # rounded up
    assert of["quantiles"] == [values[rank - 1] if rank <= len(values) else None
                               for rank in ranks], of["quantiles"]
    for x, p in zip(of["x"], of["p"]):
        assert values[round(p * jobs) - 1] == x, (of["policy"], p)
none = next(of for of in data["cdf"]
            if (of["policy"], of["metric"]) == ("none", "time_to_result_s"))
assert none["p"][-1] < 0.9, "jobs without a result are left out"
assert data["pareto"] == [], "policies that get other jobs done are compared in time"
assert all(difference["lo"] <= difference["diff"] <= difference["hi"]
           for difference in data["differences"])
# The verdict follows from the interval and from which values are better. The alarms get more jobs
# done than no rule, so the mean time is of other jobs.
verdicts = set()
for row in data["differences"]:
    if row["lo"] <= 0 <= row["hi"]:
        expected = "no difference shown"
    elif row["metric"] in ("mean_allocated_pct", "mean_time_to_result_s"):
        expected = "differs"
    else:
        more_is_better = row["metric"] == "jobs_done"
        expected = "better" if (row["diff"] > 0) == more_is_better else "worse"
    assert row["verdict"] == expected, row
    verdicts.add(expected)
assert {"better", "differs"} <= verdicts, verdicts
# What is captured, as a ratio of means with its residuals, by hand. t of 19 degrees: 2.093024.
metrics = {}
for row in csv.DictReader(open("stalls/metrics.csv")):
    metrics.setdefault((row["run_id"].rsplit("/", 1)[0], row["metric"]), []).append(row["value"])
def values(policy, metric):
    return [float(value) for value in metrics[policy, metric]]
base, alarm = values("none", "billed_usd"), values("alarm", "billed_usd")
least = [min(pair) for pair in zip(values("none", "clairvoyant_usd"),
                                   values("alarm", "clairvoyant_usd"))]
saved = [a - b for a, b in zip(base, alarm)]
possible = [a - b for a, b in zip(base, least)]
part = sum(saved) / sum(possible)
residuals = [a - part * b for a, b in zip(saved, possible)]
deviation = (sum(of * of for of in residuals) / 19) ** 0.5
half = 2.093024 * deviation / 20 ** 0.5 * 20 / sum(possible)
of = next(row for row in csv.DictReader(open("stalls/compare.csv"))
          if row["metric"] == "captured_pct" and row["policy_a"] == "alarm")
assert abs(float(of["diff"]) - 100 * part) < 1e-6, (of, part)
assert abs(float(of["lo"]) - 100 * (part - half)) < 1e-3, (of, half)
stops = list(csv.DictReader(open("stalls/stops.csv")))
for row in data["stops"]["rows"]:
    of_rule = [stop for stop in stops if stop["run_id"].startswith(row["policy"] + "/")
               and stop["seat"] == row["rule"]]
    assert row["right"] == sum(stop["verdict"] == "right" for stop in of_rule)
    count = next(of["count"] for of in data["stops"]["counts"]
                 if (of["policy"], of["rule"]) == (row["policy"], row["rule"]))
    assert sum(count) == sum(stop["verdict"] in ("right", "late") for stop in of_rule)
PYTHON

# The time of a job that never starts is a wait, and so is that of an attempt without capacity.
cat >waits.jsonc <<'SCENARIO'
{ "reeve": 1, "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "4h" },
  "prices": { "instances": { "m": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ { "name": "d", "instance_type": "m", "capacity": 1 },
             { "name": "s", "instance_type": "m", "capacity": 1, "market": "spot",
               "availability": { "steps": [["0s", 1], ["1h", 0], ["90m", 1]] } } ],
  "platform": { "model": "sagemaker-training", "startup": "5m", "stop_grace": "0s" },
  "jobs": [ { "name": "first", "work": "10h", "fleet": "d" },
            { "name": "never", "work": "1h", "fleet": "d" },
            { "name": "spot", "work": "2h", "fleet": "s", "checkpoint": { "every": "10m" },
              "max_wait": "20h" } ],
  "policies": { "none": [] } }
SCENARIO
run 0 compare waits.jsonc -o waits --html
python3 - <<'PYTHON' || fail "waits are shown as something else"
import csv, json, re
from collections import Counter
page = open("waits/index.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="reeve-data">(.*?)</script>', page, re.S).group(1))
jobs = {job["job"]: job["parts"] for job in data["gantt"][0]["jobs"]}
assert {what for _, _, what in jobs["never"]} <= {"waiting"}, jobs["never"]
shown, billed = Counter(), Counter()
for a, b, what in jobs["spot"]:
    shown[what] += b - a
for row in csv.DictReader(open("waits/ledger.csv")):
    if row["x_job"] == "spot":
        billed[row["x_class"]] += float(row["x_held_s"])
assert shown.pop("waiting") >= 1800, jobs["spot"]
assert all(abs(shown[use] - billed[use]) < 1e-3 for use in shown | billed), (shown, billed)
PYTHON

# A stall that ends has its place, so have instances that are billed after their attempt, and a
# policy that a spreadsheet would take for a formula is not lost.
cat >places.jsonc <<'SCENARIO'
{ "reeve": 1, "clock": { "start": "2026-01-05T00:00:00Z" },
  "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "m", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "stop_grace": "0s" },
  "jobs": [ { "name": "a", "work": "5h",
              "faults": [ { "at": "1h", "kind": "stall", "lasts": "1h" } ] } ],
  "policies": { "none": [], "+gpu": [ { "rule": "stalled_gpu", "mode": "warn" } ] } }
SCENARIO
run 0 compare places.jsonc -o places --html
python3 - <<'PYTHON' || fail "a stall is drawn elsewhere, or a policy is lost"
import json, re
page = open("places/index.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="reeve-data">(.*?)</script>', page, re.S).group(1))
assert [bill["policy"] for bill in data["bill"]] == ["none", "+gpu"], data["bill"]
for of in data["gantt"]:
    assert of["jobs"][0]["parts"] == [[0, 3600, "productive"], [3600, 7200, "stalled"],
                                      [7200, 21600, "productive"]], of["jobs"]
PYTHON

# Many policies and tiers make no large page.
python3 - <<'PYTHON'
import json
json.dump({"reeve": 1, "prices": {"instances": {"m": {"usd_per_hour": 30, "gpus": 8}}},
           "fleet": [{"name": "p", "instance_type": "m", "capacity": 900}],
           "jobs": [{"name": f"job-{i}", "work": "5h", "tags": {"tier": f"t{i % 500}"},
                     "faults": [{"at": "1h", "kind": "stall", "lasts": "1h"}]}
                    for i in range(1000)],
           "policies": {f"p{i}": [] for i in range(60)}}, open("wide.jsonc", "w"))
PYTHON
run 0 compare wide.jsonc -o wide --html -q
[ "$(stat -c %s wide/index.html)" -lt 5000000 ] || fail "the page has 5 MB"

# It is no gain to spend less with fewer jobs done.
cat >fewer.jsonc <<'SCENARIO'
{ "reeve": 1, "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "random": { "seed": 1, "runs": 10 }, "fleet": [ { "instance_type": "m", "capacity": 40 } ],
  "workload": { "jobs": 20, "arrivals": { "process": "poisson", "gap": "1h" },
                "work": { "lognormal": { "median": "6h", "sigma": 0.8 } } },
  "policies": { "none": [], "cap": [ { "rule": "max_runtime", "limit": "4h" } ] } }
SCENARIO
run 0 compare fewer.jsonc -o fewer --html
python3 - <<'PYTHON' || fail "less work is shown as a gain"
import json, re
page = open("fewer/index.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="reeve-data">(.*?)</script>', page, re.S).group(1))
verdicts = {row["metric"]: row["verdict"] for row in data["differences"]}
assert verdicts["jobs_done"] == "worse" and verdicts["billed_usd"] == "differs", verdicts
assert verdicts["makespan"] == "differs" and verdicts["wasted_usd"] == "worse", verdicts
PYTHON

# Exact differences that are nothing but rounding are none.
run 0 compare "$gallery/head-of-line.jsonc" -o queue --html
python3 - <<'PYTHON' || fail "rounding is shown as a difference"
import json, re
page = open("queue/index.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="reeve-data">(.*?)</script>', page, re.S).group(1))
for row in data["differences"]:
    assert (row["diff"] == 0) == (row["verdict"] == "the same"), row
    assert row["diff"] == 0 or abs(row["diff"]) > 1e-9, row
PYTHON

# Another export takes the page of the earlier one away; a page of a person stays.
run 0 compare weekend.jsonc -o out/weekend
[ ! -e out/weekend/index.html ] || fail "a page of other results stayed"
echo '<!doctype html> mine' >out/weekend/index.html
run 64 report out/weekend
has stderr 'was not written by reeve'
run 64 compare weekend.jsonc -o out/weekend --html
run 0 compare weekend.jsonc -o out/weekend
[ "$(cat out/weekend/index.html)" = '<!doctype html> mine' ] || fail "a page of a person is gone"
rm out/weekend/index.html

# What is no directory of results, or a damaged one, is named.
run 64 report nowhere
has stderr 'nowhere is not a directory of results'
mkdir empty
run 1 report empty
has stderr 'reeve compare FILE -o DIR'
cp -r out/weekend damaged
sed -i 's/,17040.000000,/,1704o,/g' damaged/runs.csv
run 1 report damaged
has stderr 'damaged/runs.csv:2: column'
cp out/weekend/runs.csv damaged/
sed -i '1s/tags_json/tags/' damaged/jobs.csv
run 1 report damaged
has stderr 'damaged/jobs.csv:1: column tags_json is missing'
cp -r out/weekend endless
rm endless/jobs.csv
mkfifo endless/jobs.csv
run 1 report endless
has stderr 'endless/jobs.csv is not a regular file'
cp out/weekend/jobs.csv out/weekend/runs.csv damaged/
sed -i 's/,17040.000000,/,nan,/g' damaged/runs.csv
run 1 report damaged
has stderr '"nan" is not a number'
cp -r out/weekend deep
python3 - <<'PYTHON'
import csv
for table, column in (("jobs", "tags_json"), ("decisions", "inputs_json")):
    rows = list(csv.reader(open(f"deep/{table}.csv", newline="")))
    for row in rows[1:]:
        row[rows[0].index(column)] = '{"a":' * 300000 + "1" + "}" * 300000
    csv.writer(open(f"deep/{table}.csv", "w", newline=""), lineterminator="\n").writerows(rows)
PYTHON
run 0 report deep
echo "{\"summary\":$(printf '[%.0s' {1..300000})" >deep/manifest.json
run 1 report deep
has stderr 'not a JSON object; it is damaged'
cp -r out/weekend lacking
rm lacking/attempts.csv
run 1 report lacking
has stderr 'lacking/attempts.csv is missing'
cp -r out/weekend shapeless
sed -i 's/"name": "none",/"name": 7,/' shapeless/manifest.json
run 1 report shapeless
has stderr 'shapeless/manifest.json: the summary is damaged'

# A pipe or a link is no place for a page, and the results before it stay.
rm -f out/weekend/index.html
mkfifo out/weekend/index.html
run 64 compare weekend.jsonc -o out/weekend --html
has stderr 'is not a regular file'
run 0 compare weekend.jsonc -o out/weekend
rm out/weekend/index.html
ln -s /dev/stdout link.html
run 64 report out/weekend -o link.html

cp -r out/weekend old
python3 - <<'PYTHON'
import json
manifest = json.load(open("old/manifest.json"))
del manifest["summary"]
json.dump(manifest, open("old/manifest.json", "w"))
PYTHON
run 1 report old
has stderr 'earlier version'
[ ! -e damaged/index.html ] && [ ! -e old/index.html ] || fail "half a report was written"

# A sweep has a report, and one policy as well.
run 0 sweep weekend.jsonc --set policies.gpu-alarm.stalled_gpu.period=1m,5m,10m -o sweep
run 0 report sweep
has sweep/index.html '"kind":"sweep"'
has sweep/index.html '"effects":"against the file"'
python3 - <<'PYTHON' || fail "the settings are not those of the table"
import csv, json, re
page = open("sweep/index.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="reeve-data">(.*?)</script>', page, re.S).group(1))
best = data["sweep"]["best"]
of_csv = {(row["cell"], row["policy"]): float(row["mean"])
          for row in csv.DictReader(open("sweep/sweep.csv")) if row["metric"] == best["metric"]}
values = [row["value"]["mean"] for row in best["rows"]]
assert len(values) == best["total"] >= 3 and values == sorted(values, reverse=True), best
assert all(of_csv[str(row["cell"]), row["policy"]] == row["value"]["mean"] for row in best["rows"])
PYTHON
# The page does not outlive its numbers.
run 0 sweep weekend.jsonc --set policies.gpu-alarm.stalled_gpu.period=1m,5m,10m -o sweep \
  --objective wasted_usd
[ ! -e sweep/index.html ] || fail "a page of the earlier objective stayed"
run 0 run weekend.jsonc -p gpu-alarm -o single
run 0 report single
has single/index.html '"before":null'
has single/index.html 'gpu-alarm bills $17,372.13; $72.13 of it is wasted.'
done_checking

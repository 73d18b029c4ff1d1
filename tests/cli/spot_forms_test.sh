#!/usr/bin/env bash
# The Pareto front and the effects of keys that reeve sweep finds for a job on Spot, and where Spot
# stops being cheaper, against closed forms of what it costs and when it ends.
source "$(dirname "$0")/expect.bash"

cp "$source_root/tests/scenarios/front.jsonc" .
export PYTHONPATH=$PWD

# Each launch holds its instance for `every`: a start-up, and training of which what the last
# checkpoint has is kept.  Then the job waits, unbilled.  The last launch needs its start-up and the
# rest of the work.  After more than `most` interruptions it goes on on demand, at once.
cat >forms.py <<'PYTHON'
import csv, json, re
from fractions import Fraction as F

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
BASE = {"work": "10h", "every": "90m", "away": "10m", "startup": "5m", "checkpoint": "1h",
        "spot": "9", "od": "30", "most": "3", "most of lossy": "3"}
KEYS = {"jobs.train.checkpoint.every": "checkpoint", "platform.startup": "startup",
        "prices.instances.ml.demo.1gpu.spot_usd_per_hour": "spot",
        "jobs.train.max_wait": "max_wait",  # nothing waits that long
        "fleet.spot.reclaim.every": "every", "fleet.spot.reclaim.away": "away",
        "policies.fallback.spot_fallback.interruptions_above": "most",
        "policies.lossy.spot_fallback.interruptions_above": "most of lossy"}


def seconds(text):
    parts = re.findall(r"([0-9.]+)([smhd])", text)
    assert "".join(n + u for n, u in parts) == text, text
    return sum(F(n) * UNITS[u] for n, u in parts)


def outcome(policy, changed):
    """What the policy bills in dollars, and the seconds until the result."""
    of = {**BASE, **changed}
    work, every, away, startup, checkpoint = (
        seconds(of[key]) for key in ("work", "every", "away", "startup", "checkpoint"))
    spot, od = F(of["spot"]) / 3600, F(of["od"]) / 3600
    if policy == "never":
        return (startup + work) * od, startup + work
    trains = every - startup
    assert trains % checkpoint != 0, "a checkpoint at the instant of an interruption"
    kept = trains // checkpoint * checkpoint
    assert kept > 0, "no progress"
    # The launches that are lost: the least number after which the rest fits in one.
    lost = max(0, -((trains - work) // kept))
    assert work - lost * kept != trains, "the end of work at the instant of an interruption"
    if policy != "stay":
        most = int(of["most" if policy == "fallback" else "most of lossy"])
        if lost > most:
            lost = most + 1
            rest = startup + work - (lost * kept if policy == "fallback" else 0)
            return lost * every * spot + rest * od, lost * every + (lost - 1) * away + rest
    rest = startup + work - lost * kept
    return (lost * every + rest) * spot, lost * (every + away) + rest


def cells(folder):
    """What each cell changes; the first is the file as it is."""
    found = {0: {}}
    for row in csv.DictReader(open(folder + "/cells.csv")):
        if row["cell"] != "0":
            found.setdefault(int(row["cell"]), {})[KEYS[row["key"]]] = row["value"]
    return [found[cell] for cell in sorted(found)]


def numbers(folder, metric):
    return {(int(row["cell"]), row["policy"]): float(row["mean"])
            for row in csv.DictReader(open(folder + "/sweep.csv")) if row["metric"] == metric}


def check_cells(folder, policies=("stay", "never", "fallback", "lossy")):
    """To the micro-dollar and the microsecond.  Returns what each cell costs and takes."""
    changes = cells(folder)
    forms = {(cell, policy): outcome(policy, changed)
             for cell, changed in enumerate(changes) for policy in policies}
    for nth, metric in ((0, "billed_usd"), (1, "time_to_result"), (1, "makespan")):
        said = numbers(folder, metric)
        assert said.keys() == forms.keys(), (said.keys(), forms.keys())
        for place, form in forms.items():
            assert abs(said[place] - form[nth]) < 1e-6, (
                metric, place, changes[place[0]], said[place], float(form[nth]))
    return changes, forms


def check_front(changes, forms, table):
    """The marks are where no other cell costs less and takes no longer, or the reverse."""
    on_front = {place: not any(other[0] <= form[0] and other[1] <= form[1] and other != form
                               for other in forms.values()) for place, form in forms.items()}
    shown = {(row["cell"], row["policy"]): row["pareto"] for row in table["rows"]}
    assert len(shown) >= len(forms) - len(changes), len(shown)
    for place, mark in shown.items():
        assert mark == on_front[place], (place, changes[place[0]], mark, forms[place])
    return {place for place, is_on in on_front.items() if is_on}


def least_squares(points, values):
    """The slopes, by the normal equations."""
    rows = [[F(1), *point] for point in points]
    size = len(rows[0])
    system = [[sum(row[i] * row[j] for row in rows) for j in range(size)] +
              [sum(row[i] * value for row, value in zip(rows, values))] for i in range(size)]
    for i in range(size):
        pivot = next(row for row in range(i, size) if system[row][i] != 0)
        system[i], system[pivot] = system[pivot], system[i]
        system[i] = [value / system[i][i] for value in system[i]]
        for j in range(size):
            if j != i:
                system[j] = [a - system[j][i] * b for a, b in zip(system[j], system[i])]
    return [row[-1] for row in system][1:]
PYTHON

keys() { # NAME: the path of the key
  python3 -c "import forms, sys; print({v: k for k, v in forms.KEYS.items()}[sys.argv[1]])" "$1"
}
also=(--metric makespan --metric time_to_result)
thresholds=0,1,2,3,4,5,6,7,8,9,10

# --- F62: the thresholds of both fallbacks.  All that keep checkpoints are on the front.
run 0 sweep front.jsonc --set "$(keys most)=$thresholds" --set "$(keys 'most of lossy')=0,3,9" \
  "${also[@]}" -o thresholds --json
python3 - <<'PYTHON' || fail "the front over thresholds is not that of the closed forms"
import json
from fractions import Fraction as F
from forms import *
changes, forms = check_cells("thresholds")
front = check_front(changes, forms, json.load(open("stdout"))[0])
# F57, F60 and F61.
assert [forms[0, p] for p in ("never", "fallback", "stay", "lossy")] == [
    (F("302.50"), 36300), (F("236.50"), 45300), (F("131.25"), 57900), (F("356.50"), 59700)]
assert {policy for cell, policy in front if cell == 0} == {"never", "fallback", "stay"}
assert all((cell, "fallback") in front for cell in range(len(changes)))
# A threshold that is never exceeded keeps no checkpoint less: the clone is not made.
assert {changes[cell]["most of lossy"] for cell, p in front if p == "lossy"} == {"9"}
PYTHON
checks=$((checks + 1))

# --- Thresholds with checkpoints, start-up and prices that make some of them a bad choice.
run 0 sweep front.jsonc --set "$(keys most)=0,1,3,5,9" --set "$(keys checkpoint)=25m,60m,80m" \
  --set "$(keys spot)=9,24,29.5" --set "$(keys startup)=1m,5m" "${also[@]}" -o choices --json
python3 - <<'PYTHON' || fail "the front over prices and checkpoints is not that of the forms"
import json
from forms import *
changes, forms = check_cells("choices")
front = check_front(changes, forms, json.load(open("stdout"))[0])
fallbacks = {cell for cell, policy in front if policy == "fallback"}
assert 5 <= len(fallbacks) < len(changes) / 2, fallbacks
PYTHON
checks=$((checks + 1))

# --- One key at a time, against the file.
effects() { # NAME VALUES
  local objective
  for objective in billed_usd makespan; do
    run 0 -q sweep front.jsonc --set "$(keys "$1")=$2" "${also[@]}" -o "one-$1-$objective" \
      --objective $objective
    python3 - "one-$1-$objective" "$1" $objective "$2" <<'PYTHON' || fail "wrong effect of $1"
import sys
from forms import *
folder, name, objective, values = sys.argv[1:]
check_cells(folder)
nth = 0 if objective == "billed_usd" else 1
rows = list(csv.DictReader(open(folder + "/effects.csv")))
assert [row["value"] for row in rows] == values.split(",") * 4, rows
moved = 0
for row in rows:
    assert KEYS[row["key"]] == name and row["metric"] == objective, row
    form = outcome(row["policy"], {name: row["value"]})[nth] - outcome(row["policy"], {})[nth]
    assert abs(float(row["change"]) - form) < 1e-6, (row, float(form))
    moved += form != 0
assert moved > 0 or (name, objective) in {("spot", "makespan"), ("away", "billed_usd")}, moved
PYTHON
    checks=$((checks + 1))
  done
}
effects checkpoint 7s,10m,25m,50m,84m
effects startup 0s,61s,17m30s,29m
effects spot 4.5,9.01,29.99
effects every 66m,80m,131m,9h,11h
effects away 1s,33s,2h

# --- All keys together: means over the cells of a value, against the mean over all, the widest
# first.  The same in the table, which is the tornado chart, and in the file.
five=(--set "$(keys checkpoint)=30m,50m" --set "$(keys startup)=2m,9m"
  --set "$(keys spot)=6,9,15" --set "$(keys every)=70m,95m" --set "$(keys away)=5m,40m")
for objective in billed_usd makespan; do
  run 0 sweep front.jsonc "${five[@]}" "${also[@]}" --objective $objective --json \
    -o "all-$objective"
  python3 - $objective <<'PYTHON' || fail "the tornado chart of $objective is not of the forms"
import json, sys
from forms import *
objective = sys.argv[1]
nth = 0 if objective == "billed_usd" else 1
changes, forms = check_cells("all-" + objective)
tables = json.load(open("stdout"))
check_front(changes, forms, tables[0])
whole = range(1, len(changes))
assert len(whole) == 48
mean = lambda policy, of: sum(forms[cell, policy][nth] for cell in of) / len(of)
expected = {}
for policy in ("stay", "never", "fallback", "lossy"):
    for key, name in KEYS.items():
        for value in dict.fromkeys(changes[cell].get(name) for cell in whole):
            if value is not None:
                of = [cell for cell in whole if changes[cell][name] == value]
                expected[policy, key, value] = mean(policy, of) - mean(policy, whole)
to_the_second = 0.5 if objective == "makespan" else 1e-6
for rows, within in ((tables[1]["rows"], to_the_second),
                     (csv.DictReader(open(f"all-{objective}/effects.csv")), 1e-6)):
    said = {(row["policy"], row["key"], str(row["value"])): float(row["change"]) for row in rows}
    assert said.keys() == expected.keys(), said
    for place, form in expected.items():
        assert abs(said[place] - form) <= within, (place, said[place], float(form))
reach = {}
for (policy, key, _), form in expected.items():
    reach[policy, key] = max(reach.get((policy, key), 0), abs(form))
order = list(dict.fromkeys((row["policy"], row["key"]) for row in tables[1]["rows"]))
for policy in ("stay", "never", "fallback", "lossy"):
    widths = [reach[place] for place in order if place[0] == policy]
    assert len(widths) == 5 and widths == sorted(widths, reverse=True), (policy, widths)
firsts = {"billed_usd": "spot", "makespan": "away"}
assert KEYS[next(key for policy, key in order if policy == "stay")] == firsts[objective], order
PYTHON
  checks=$((checks + 1))
done

# --- Samples of ranges: the slopes, from the low end of a range to its high end, or from the first
# value of a list to its last.  Values are rounded: the slopes are of those that were run.  A key
# with one value has no effect, and hides none.
run 0 sweep front.jsonc --set "$(keys checkpoint)=601s..2999s" --set "$(keys startup)=61s..1199s" \
  --set "$(keys spot)=7..9" --set "$(keys most)=2,4,5" --set "$(keys every)=4507s..9001s" \
  --set "$(keys away)=61s..3599s" --set "$(keys max_wait)=4d" --sample sobol:32 \
  --objective billed_usd "${also[@]}" -o samples --json
python3 - <<'PYTHON' || fail "the slopes are not of the forms"
import json
from forms import *
changes, forms = check_cells("samples")
tables = json.load(open("stdout"))
check_front(changes, forms, tables[0])
ranges = {"checkpoint": (601, 2999), "startup": (61, 1199), "spot": (7, 9), "most": (0, 2),
          "every": (4507, 9001), "away": (61, 3599)}
numbers = {"spot": F, "most": ["2", "4", "5"].index}
points = [[F(numbers.get(name, seconds)(of[name]) - low) / (high - low)
           for name, (low, high) in ranges.items()] for of in changes[1:]]
assert len(points) == 32
for policy in ("stay", "never", "fallback", "lossy"):
    slopes = least_squares(points, [forms[cell, policy][0] for cell in range(1, 33)])
    said = {KEYS[row["key"]]: row["change"] for row in tables[1]["rows"] if row["policy"] == policy}
    for name, slope in zip(ranges, slopes):
        assert abs(said[name] - slope) < 1e-5, (policy, name, said[name], float(slope))
    assert said.pop("max_wait") is None
    widths = [abs(change) for change in said.values()]
    assert widths == sorted(widths, reverse=True), widths
PYTHON
checks=$((checks + 1))

# --- F69: interruptions at random.  To first order one costs half a checkpoint interval and a
# start-up: Spot is cheaper up to (30 / price - 1) / (c/2 + s) an hour.  Exactly, an hour and its
# start-up begin again until they are undisturbed.
python3 - <<'PYTHON'
import json, re
text = open("front.jsonc").read()
text = text.replace('"reclaim": { "every": "90m", "away": "10m" }',
                    '"availability": { "up": { "exponential": "1h" }, "down": "1s" }')
text = text.replace('"startup": "5m"', '"provisioning": "0s", "startup": "5m"')
text = text.replace('"horizon": "3d"', '"horizon": "90d"').replace('"3d"', '"60d"')
text = text.replace('"clock"', '"random": { "seed": 69, "runs": 200 }, "clock"')
text = re.sub(r'"expect": \[.*\]', '"expect": []', text, flags=re.S)
open("drawn.jsonc", "w").write(text)
PYTHON
apart=36000s,26000s,16000s,3600s,2200s,1500s,900s
run 0 -q sweep drawn.jsonc -p never,stay --set "$(keys spot)=9,27" -o rates \
  --set "fleet.spot.availability.up.exponential=$apart"
python3 - <<'PYTHON' || fail "Spot is not cheaper up to the break-even, and dearer beyond"
import csv
from math import exp
changes = {}
for row in csv.DictReader(open("rates/cells.csv")):
    changes.setdefault(row["cell"], []).append(row["value"])
hour, startup, hours, od = 1.0, 1 / 12, 10, 302.50


def billed_hours(rate):
    """Of ten hours of work: each is kept when it is whole; after a loss a start-up comes first."""
    again = (exp(rate * (hour + startup)) - 1) / rate
    lost = 1 - exp(-rate * hour)
    return again + (hours - 1) * (lost / rate + lost * again)


def crossing(holds):
    low, high = 1e-6, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


sides = set()
for row in csv.DictReader(open("rates/sweep.csv")):
    if row["metric"] != "billed_usd" or row["cell"] == "0":
        continue
    price, up = float(changes[row["cell"]][0]), changes[row["cell"]][1]
    if row["policy"] == "never":
        assert float(row["mean"]) == od, row
        continue
    rate = 3600 / float(up[:-1])
    mean, low, high = (float(row[column]) for column in ("mean", "lo", "hi"))
    form = price * billed_hours(rate)
    # The interval is of 95 %, so these are four standard errors.
    assert abs(mean - form) < 4 / 1.96 * (high - low) / 2, (rate, price, mean, form)
    first_order = (30 / price - 1) / (hour / 2 + startup)
    exact = crossing(lambda rate: price * billed_hours(rate) < od)
    # What first order neglects is positive: the true break-even is below, by less than
    # half of the rate times an hour and two start-ups, relatively.
    assert exact < first_order, (exact, first_order)
    if price == 27:
        assert first_order - exact < first_order * exact * (hour + 2 * startup) / 2
    side = "cheaper" if rate < exact else "dearer"
    assert (high < od) if side == "cheaper" else (low > od), (rate, price, mean, low, high, exact)
    if rate > first_order:
        assert side == "dearer"
    sides.add((price, side))
assert len(sides) == 4, sides
PYTHON
checks=$((checks + 1))
done_checking

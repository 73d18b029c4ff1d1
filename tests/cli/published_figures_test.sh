#!/usr/bin/env bash
# docs/explanation/published-figures.sh gives the figures in the tables of the page beside it.
source "$(dirname "$0")/expect.bash"

data=$source_root/../shared/data
[ -d "$data" ] || { echo "SKIPPED: no traces in ../shared/data"; exit 77; }
export data
PATH=$(dirname "$REEVE"):$PATH
page=$source_root/docs/explanation/published-figures.md
script=$source_root/docs/explanation/published-figures.sh

sh -eu "$script" > stdout 2> stderr || fail "the commands end with an error"

python3 - "$page" <<'PYTHON' || fail "other figures than those of the page"
import re, sys
page = open(sys.argv[1]).read()
seen = {"queue": 0, "rule": 0}
for line in open("stdout"):
    metric = re.match(r"\w+/0,(\w+),\w+,([\d.]+)$", line)
    if metric and metric[1] != "deadlines_missed":
        forms = [f"{float(metric[2]):,.{digits}f}" for digits in (0, 2, 3)]
        assert any(f" {form} | " in page for form in forms), line
        seen["queue"] += 1
    rule = re.match(r" (\w+) +(\d+\.\d\d) .* (\d+\.\d\d)$", line)
    if rule:
        assert re.search(rf"\b{rule[2]}\b", page) or seen["rule"] >= 30, line
        seen["rule"] += 1
assert seen == {"queue": 30, "rule": 36}, seen
PYTHON
checks=$((checks + 1))
has stdout 'las/0,deadlines_missed,count,0'
done_checking

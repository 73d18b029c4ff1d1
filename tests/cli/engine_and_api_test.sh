#!/usr/bin/env bash
# F124: a report says which engine made it, and after which documentation the platform is modelled.
source "$(dirname "$0")/expect.bash"

weekend=$source_root/scenarios/gallery/stalled-weekend.jsonc
version=$("$REEVE" --version)
run 0 run "$weekend" -p gpu-alarm
has stdout "$version   sagemaker-training: AWS API of 2026-"
run 0 --json compare "$weekend"
python3 - "${version#reeve }" <<'PYTHON' || fail "the comparison says something else"
import json, sys
said = json.load(open("stdout"))
assert said["engine_version"] == sys.argv[1], said["engine_version"]
assert said["modelled_on"].startswith("sagemaker-training: AWS API of 2026-"), said["modelled_on"]
PYTHON
run 0 run "$weekend" -p gpu-alarm -o out
grep -q '"modelled_on": "sagemaker-training' out/*.json || fail "the export does not say it"

# What AWS does not publish of the queues is told apart from what it does.
line=$source_root/scenarios/gallery/head-of-line.jsonc
run 0 compare "$line" -o queues
has stdout "quota: modeled, because AWS publishes no rule: victims borrowed,lowest_priority"
lacks stdout "fifo: a model"
run 0 --json compare "$line"
python3 - <<'PYTHON' || fail "the comparison or the export does not say what is a model"
import json
said = json.load(open("stdout"))["policies"]
of_export = json.load(open("queues/manifest.json"))["model_where_nothing_is_published"]
assert said["quota"]["model"]["blocked_borrower"] == "waits_alone", said["quota"]["model"]
assert of_export["quota"] == said["quota"]["model"], of_export
assert "model" not in said["fifo"] and "fifo" not in of_export
PYTHON
sed 's/"algorithm": "quota" }/"algorithm": "quota", "mode": "shadow" }/' "$line" >shadow.jsonc
"$REEVE" compare shadow.jsonc >stdout 2>stderr || true  # its expectations are of enforce
has stdout "quota-blocks: modeled, because"
lacks stdout " quota: a model where"
checks=$((checks + 3))
done_checking

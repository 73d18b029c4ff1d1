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
checks=$((checks + 2))
done_checking

#!/usr/bin/env bash
# That what `reeve explain` names as the nearest miss is the nearest, and is what a run with that
# value comes to.
source "$(dirname "$0")/expect.bash"

# world NAME FLEET PLATFORM JOBS POLICIES [HUMANS]: a scenario; machines cost $30 an hour, Spot $9.
world() {
  cat >"$1.jsonc" <<JSONC
{ "reeve": 1, "name": "$1", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "7d" },
  "prices": { "instances": {
    "ml.d.8gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ $2 ], "platform": { "startup": "5m", $3 }, "jobs": [ $4 ], "policies": { $5 },
  "humans": [ ${6-} ] }
JSONC
}
pool='{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 4 }'
aws='"model": "sagemaker-training", "stop_grace": "120s"'

# A stop that comes when the attempt is over already, as news are late, stops nothing: the job was
# done, or failed by itself, and so it is with a limit that is reached before that is known.
world late "$pool" "$aws, \"events\": { \"delay\": \"5m\" }" '
  { "name": "done", "work": "3h" },
  { "name": "failed", "work": "30h",
    "faults": [ { "at": "3h", "kind": "failure", "class": "code" } ] }' '
  "after": [ { "rule": "max_runtime", "limit": "181m", "enforce_by": "clock" } ],
  "before": [ { "rule": "max_runtime", "limit": "2h", "enforce_by": "clock" } ]'
run 0 explain done late.jsonc -p after
has stdout ' done was done at 03:05:00'
has stdout '03:06:00  max_runtime: stop job; it stopped nothing'
lacks stdout 'was stopped'
lacks stdout 'had it not'
lacks stdout 'nearest miss'
run 0 explain failed late.jsonc -p after
has stdout ' failed did not finish: failed at 03:05:00'
run 0 explain done late.jsonc -p before
has stdout ' done was stopped at 02:05:00 by max_runtime'
has stdout ' nearest miss: limit 3 h does not stop it'
done_checking

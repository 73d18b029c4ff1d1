#!/usr/bin/env bash
# F44: what a quarter more speed is worth: 72 h become 57.6 h, $17,280.00 become $13,824.00.
source "$(dirname "$0")/expect.bash"

cat > slow.jsonc <<'JSON'
{
  "reeve": 1,
  "name": "slow",
  "clock": { "start": "2026-05-22T18:00:00Z", "horizon": "7d" },
  "prices": { "instances": { "ml.demo.8gpu": { "usd_per_hour": 30.00, "gpus": 8 } } },
  "fleet": [ { "instance_type": "ml.demo.8gpu", "capacity": 8 } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s" },
  "jobs": [ { "name": "train", "instances": 8, "work": "72h", "max_runtime": "7d" } ],
  "policies": { "none": [] }
}
JSON
run 0 compare slow.jsonc --what-if-speed 1.25
has stdout 'at 1.25 times the speed none bills $3,456.00 less; results 14h24m00s sooner'
run 0 compare slow.jsonc --what-if-speed 1
has stdout 'at 1 times the speed none bills the same; results the same'
run 64 compare slow.jsonc --what-if-speed 0
done_checking

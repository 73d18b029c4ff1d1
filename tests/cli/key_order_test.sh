#!/usr/bin/env bash
# The keys of a JSON object have no order: shuffled, they give the same draws, digests and tables.
# Only the order of policies in tables is that of the file.
source "$(dirname "$0")/expect.bash"

cat >shuffle.py <<'PYTHON'
import json, random, re, sys
source, seed = sys.argv[1:]
pattern = r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/'
text = re.sub(pattern, lambda m: m[0] if m[0].startswith('"') else " ", open(source).read(),
              flags=re.S)
text = re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', lambda m: m[1] or "", text)
rng = random.Random(seed)
def shuffled(pairs):
    pairs = list(pairs)
    if seed == "reverse":
        pairs.reverse()
    elif seed != "same":
        rng.shuffle(pairs)
    return dict(pairs)
print(json.dumps(json.loads(text, object_pairs_hook=shuffled), indent=1))
PYTHON

# tables DIRECTORY: every row and every digest, in an order of their own.
tables() {
  for table in "$1"/*.csv; do
    echo "== $(basename "$table")"
    LC_ALL=C sort "$table"
  done
  python3 -c 'import json, sys
for run in sorted(json.load(open(sys.argv[1]))["x_reeve"]["runs"], key=lambda run: run["run_id"]):
    print(run["run_id"], run["digest"], run.get("decisions_hash"))' "$1/datapackage.json"
}

# same FILE: as written, reversed and shuffled.
same() {
  local name
  name=$(basename "$1")
  for seed in same reverse 1 2; do
    mkdir -p work
    cp -r "$(dirname "$1")"/*.csv* work/ 2>/dev/null || true
    python3 shuffle.py "$1" $seed >"work/$name"
    rm -rf out
    "$REEVE" run "work/$name" --runs 2 --threads 1 -q -o out >stdout 2>stderr ||
      fail "reeve run $1, keys in order $seed"
    tables out >"rows.$seed"
    [ $seed = same ] || cmp rows.same "rows.$seed" || fail "$1: keys in order $seed change results"
    checks=$((checks + 1))
  done
  rm -rf work
}

for file in "$source_root"/scenarios/gallery/*.jsonc; do same "$file"; done
for file in "$source_root"/tests/rules/resume/{slower-type,classes-of-failures}.jsonc \
  "$source_root"/tests/rules/schedule/{gavel,environment,placed-beyond-its-share}.jsonc \
  "$source_root"/tests/rules/required_tags/*.jsonc \
  "$source_root"/tests/scenarios/ledger-residual.jsonc; do
  same "$file"
done

# Classes of failures, sizes of jobs and instance types, each of which once changed the draws.
cat >drawn.jsonc <<'JSONC'
{ "reeve": 1, "name": "t", "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "30d" },
  "random": { "seed": 5, "runs": 2 },
  "prices": { "instances": { "y": { "usd_per_hour": 1, "gpus": 1 },
                             "x": { "usd_per_hour": 10, "gpus": 1 } } },
  "fleet": [ { "name": "f", "instance_type": "x", "capacity": 50 } ],
  "workload": { "jobs": 40, "name": "j", "work": "5h", "instances": { "1": 5, "16": 1, "2": 3 },
    "arrivals": { "process": "poisson", "gap": "1h" },
    "drawn_faults": [ { "kind": "failure", "probability": 0.9, "after": { "exponential": "1h" },
                        "classes": { "infrastructure": 1, "code": 1, "data": 2 } } ] },
  "policies": { "p": [ { "rule": "resume", "when": ["failed:infrastructure"],
                         "min_runtime": "0s", "max_resumes": 3 } ] } }
JSONC
same "$PWD/drawn.jsonc"
done_checking

#!/usr/bin/env bash
# Mutants of scenarios, traces, price books and AWS Batch JSON: no crash, no hang, and no error
# without a place.  REEVE_MUTANTS=20000 is the long test.
source "$(dirname "$0")/expect.bash"

count=${REEVE_MUTANTS:-300}
python3 "$source_root/tests/fuzz/mutate.py" "$REEVE" --mutants "$count" --threads 2 \
  --keep "$scratch/found" | tee stdout || fail "see $scratch/found"
has stdout "$count mutants, 0 problems"
done_checking

#!/usr/bin/env bash
# reeve check: findings with their place on stdout, exit 3 for errors, and for warnings if asked.
source "$(dirname "$0")/expect.bash"

run 0 init stalled-weekend
sed 's/"ml.demo.8gpu", "instances": 8/"ml.demo.8gpuu", "instances": 8/' \
  stalled-weekend.jsonc >typo.jsonc
run 3 check typo.jsonc
has stdout 'error[E0203]'
has stdout 'did you mean "ml.demo.8gpu"?'
has stdout 'exit 3'
is_empty stderr
run 0 explain E0203
has stdout 'instance type'
run 3 check typo.jsonc --format json
is_json stdout
has stdout '"E0203"'

sed 's/"threshold": 1,/"threshold": 80,/' stalled-weekend.jsonc >doubtful.jsonc
run 0 check doubtful.jsonc
has stdout 'warning[W0412]'
run 3 check --fail-on-warn doubtful.jsonc
run 3 check doubtful.jsonc typo.jsonc
has stdout E0203
has stdout W0412

# Nothing a file can hold makes the program crash.
printf '' >empty.jsonc
head -c 4096 /dev/urandom >noise.jsonc
printf '%0.s[' {1..100000} >deep.jsonc
mkdir folder
for file in empty.jsonc noise.jsonc deep.jsonc folder; do run 3 check "$file"; done
for file in empty.jsonc noise.jsonc deep.jsonc; do run 3 compare "$file"; done
done_checking

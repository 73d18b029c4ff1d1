#!/usr/bin/env bash
# F117, F119, F55, F85: when people are told, and what they are told.
source "$(dirname "$0")/expect.bash"

# F117: half an hour after B2 came at 4h15m, and E at 6h30m.
run 0 explain B2 "$source_root/tests/rules/long_wait/long-wait.jsonc" -p fifo
has stdout '04:45:00  long_wait: notify'
run 0 explain E "$source_root/tests/rules/long_wait/long-wait.jsonc" -p fifo
has stdout '07:00:00  long_wait: notify'
run 0 explain B1 "$source_root/tests/rules/long_wait/long-wait.jsonc" -p fifo
lacks stdout 'long_wait'
# The same of an alert, under its own name, in every policy.
for policy in none fifo; do
  run 0 explain B2 "$source_root/tests/scenarios/alerts/long-wait.jsonc" -p $policy
  has stdout '04:45:00  long-wait: notify'
  run 0 explain E "$source_root/tests/scenarios/alerts/long-wait.jsonc" -p $policy
  has stdout '07:00:00  long-wait: notify'
  run 0 explain R "$source_root/tests/scenarios/alerts/long-wait.jsonc" -p $policy
  lacks stdout 'long-wait: notify'
done
run 0 explain big "$source_root/tests/scenarios/alerts/idle-capacity.jsonc" -p fifo
has stdout '03:00:00  idle-capacity: notify'
run 0 explain c9 "$source_root/tests/scenarios/alerts/failures.jsonc"
has stdout 'failures: notify'
has stdout 'two-of-four: notify'
# F119: `big` waits from 1h on, and two hours later that is too long.
run 0 explain big "$source_root/tests/rules/idle_capacity/idle-capacity.jsonc" -p 40
has stdout '03:00:00  idle_capacity: notify'
# F55: the message comes with the failure, whose class and cause stand beside it.
run 0 explain shm "$source_root/tests/rules/resume/what-no-retry-mends.jsonc" -p class
has stdout '00:10:00  status Failed, configuration'
has stdout 'shm size'
has stdout '00:10:00  notify: notify'
has stdout 'because failed: configuration, which no retry mends'
# F85: logs that are lost with the instance leave a class that no rule resumes.
run 0 explain train "$source_root/tests/rules/resume/logs-lost.jsonc" -p resume
has stdout '02:00:00  status Failed, unknown'
lacks stdout 'resume:'
run 0 explain train "$source_root/tests/rules/resume/logs-flushed.jsonc" -p resume
has stdout '02:00:00  status Failed, infrastructure'
has stdout 'resume: clone job'
done_checking

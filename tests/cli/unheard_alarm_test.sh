#!/usr/bin/env bash
# F18: every view of the results shows an alarm that fires and that no rule acts on.
source "$(dirname "$0")/expect.bash"

file=$source_root/tests/rules/stalled_gpu/link-down.jsonc
run 0 explain big-train "$file" -p gpu-alarm
has stdout '01:16:00  ALARM but running: big-train since 01:16:00, and no rule or user acts on it'
run 0 run "$file" -p gpu-alarm
has stdout 'ALARM but running: big-train since 01:16:00'
has stdout 'alarms_unheard'
run 0 compare "$file"
has stdout 'an alarm fired then, and no rule acted on it'
run 0 run "$file" -p none
lacks stdout 'ALARM but running'
run 0 explain train "$source_root/tests/rules/resume/lost-fields.jsonc" -p no-data
has stdout 'failure reason: InternalServerError: We encountered an internal error'
has stdout 'failure reason: ClientError: Data download failed'
done_checking

#!/usr/bin/env bash
# F108: wait or move, and what the decision rests on.
source "$(dirname "$0")/expect.bash"

# 15 x (6.25 h x $60 - 10 h x $30) = $1,125 for 6 h + 10 h - 6.25 h = 9.75 h.
scenario=$source_root/tests/rules/alternatives/other-types.jsonc
weighed='$1125.00 more, 9h45m sooner: $115.38 per hour gained'
run 0 explain train "$scenario" -p within_the_limit
has stdout "because waited too long for its fleet: $weighed"
run 0 explain train "$scenario" -p beyond_the_limit
lacks stdout 'alternatives: place job'
run 0 explain train "$scenario" -p moves_for_nothing
has stdout '$0.00 more, 11h sooner'
run 0 run "$scenario" -p within_the_limit -o out
has out/decisions.csv "$weighed"

done_checking

#!/usr/bin/env bash
# The first day that docs/how-to/rehearse.md describes: its files, its mock account, its commands.
source "$(dirname "$0")/expect.bash"
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_MAX_ATTEMPTS AWS_ENDPOINT_URL REEVE_CLOCK_URL
export AWS_EC2_METADATA_DISABLED=true

# block NTH LANGUAGE: a code block of the page, without the port that it names.
block() {
  python3 - "$1" "$2" "$source_root/docs/how-to/rehearse.md" "${port:-4566}" <<'PYTHON'
import re, sys
nth, language, page, port = int(sys.argv[1]), *sys.argv[2:]
found = re.findall(rf"^```{language}\n(.*?)^```", open(page, encoding="utf-8").read(), re.S | re.M)
print(found[nth].replace("4566", port), end="")
PYTHON
}

block 0 jsonc >world.jsonc
server_command=$(block 0 sh)
[ "$server_command" = "reeve mock-aws world.jsonc --port 4566" ] ||
  fail "the page starts another mock account: $server_command"
"$REEVE" mock-aws world.jsonc --port 0 >serving.txt 2>serving.err &
server=$!
trap 'kill "${server:-0}" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  grep -qs AWS_DEFAULT_REGION serving.txt && break
  sleep 0.1
done
port=$(sed -n 's#^export AWS_ENDPOINT_URL=http://127.0.0.1:\([0-9]*\) .*#\1#p' serving.txt)
[ -n "$port" ] || fail "mock-aws does not start: $(cat serving.err)"
block 0 text | sed 's/^# [0-9]* events/# N events/' >expected.txt
sed 's/^# [0-9]* events/# N events/' serving.txt | diff expected.txt - ||
  fail "mock-aws prints other lines than the page"
source serving.txt
block 1 jsonc >guardrails.jsonc

shown=0
while read -r program command; do
  [ "$program" = reeve ] || fail "the page has another program: $program"
  # shellcheck disable=SC2086
  run 0 $command
  shown=$((shown + 1))
  case $command in
    live\ doctor*) lacks stdout '✗' ;;
    *--for\ 90m) has stdout 'untagged' && has stdout 'stuck' ;;
    live\ plan*) has stdout 'stuck' && has stdout 'untagged' ;;
    live\ log*) has stdout 'stop_job' ;;
    live\ drift*) has stdout 'downloading' && has stdout '3 training jobs' ;;
  esac
done < <(block 1 sh)
[ "$shown" -eq 6 ] || fail "the page has $shown commands"
kill "$server"
wait "$server" || fail "mock-aws ends with an error"
done_checking

# Sourced after expect.bash: a mock account of world.jsonc for the tests of `reeve live`.
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_MAX_ATTEMPTS AWS_ENDPOINT_URL REEVE_CLOCK_URL
export AWS_EC2_METADATA_DISABLED=true
server=

# serve OPTION...: starts it; `queue` and the environment name it.  Ends with `configure`, by which
# the test writes what observes it.
serve() {
  : >serving.json
  "$REEVE" --json mock-aws world.jsonc --log calls.jsonl "$@" >serving.json 2>serving.err &
  server=$!
  for _ in $(seq "${patience:-100}"); do
    [ -s serving.json ] && break
    sleep 0.1
  done
  [ -s serving.json ] || fail "mock-aws does not start: $(cat serving.err)"
  python3 - >environment.sh <<'PYTHON'
import json, shlex
told = json.load(open("serving.json"))
for name, value in told["environment"].items():
    print(f"export {name}={shlex.quote(value)}")
print(f"queue={shlex.quote(told['queue'])}")
PYTHON
  source environment.sh
  configure
}
closed() {
  kill "$server"
  wait "$server" || fail "mock-aws ends with an error"
}

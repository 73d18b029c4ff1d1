#!/usr/bin/env bash
# Every scenario of the gallery: init, check, test, compare.
source "$(dirname "$0")/expect.bash"

run 0 init --list --json
is_json stdout
mapfile -t names < <(
  python3 -c 'import json; [print(e["name"]) for e in json.load(open("stdout"))]'
)
[ ${#names[@]} -ge 5 ] || fail "the gallery has ${#names[@]} scenarios"
for name in "${names[@]}"; do
  run 0 init "$name"
  is_empty stdout
  cmp "$name.jsonc" "$source_root/scenarios/gallery/$name.jsonc" || fail "$name is another text"
  is_json .reeve/scenario.schema.json
  # The articles' own code is there to be warned of.
  if [ "$name" = blog-naive ]; then
    run 0 check "$name.jsonc"
    has stdout W0449
  else
    run 0 check --fail-on-warn "$name.jsonc"
  fi
  run 0 test "$name.jsonc"
  has stdout ', 0 failed'
done

run 64 init stalled-weekend
has stderr '--force'
echo changed >stalled-weekend.jsonc
run 0 init stalled-weekend --force
lacks stalled-weekend.jsonc changed
run 0 init tags -o deep/in/folders.jsonc
[ -s deep/in/.reeve/scenario.schema.json ] || fail "no schema beside the file"

run 0 test . --junit junit.xml
has stdout ', 0 failed'
python3 - <<'PYTHON' || fail "the JUnit file says something else"
import xml.etree.ElementTree as tree
suites = tree.parse("junit.xml").getroot().findall("testsuite")
assert len(suites) >= 6 and all(s.get("failures") == "0" for s in suites), len(suites)
PYTHON
done_checking

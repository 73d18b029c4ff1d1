#!/usr/bin/env bash
# The acceptance scenarios, those of a rule in tests/rules/RULE and others in tests/scenarios: every
# line of each is true.  A comment says which rows of the feature table a scenario is of.
source "$(dirname "$0")/expect.bash"

folders=("$source_root/tests/rules" "$source_root/tests/scenarios")
mapfile -t files < <(find "${folders[@]}" -name '*.jsonc' | sort)
[ ${#files[@]} -ge 374 ] || fail "only ${#files[@]} scenarios in ${folders[*]}"
for file in "${files[@]}"; do
  name=$(basename "$file" .jsonc)
  grep -qF "\"name\": \"$name\"" "$file" || fail "$name calls itself something else"
  grep -q '"policy": "\*", *"that": "ledger.residual_usd == 0"' "$file" ||
    fail "$name does not expect of every policy that the ledger sums to the bill (F123)"
done
rows=$(grep -hoE '// F[0-9]+[ :,]' "${files[@]}" | tr -d ' :,' | sort -u | wc -l)
[ "$rows" -ge 109 ] || fail "the scenarios are of $rows rows only"
run 0 check "${files[@]}"
status=0
"$REEVE" test "${folders[@]}" >all 2>stderr </dev/null || status=$?
grep -A 1 '✗' all >stdout || true
[ "$status" -eq 0 ] || fail "reeve test ${folders[*]}: exit status $status; $(tail -n 1 all)"
mv all stdout
has stdout ', 0 failed'
lacks stdout '✗'
done_checking

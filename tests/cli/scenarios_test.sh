#!/usr/bin/env bash
# The acceptance scenarios, one or more per row of the feature table, and in folders those of a
# topic: every line of each is true.
source "$(dirname "$0")/expect.bash"

folder=$source_root/tests/scenarios
mapfile -t files < <(find "$folder" -name '*.jsonc' | sort)
[ ${#files[@]} -ge 40 ] || fail "only ${#files[@]} scenarios in $folder"
for file in "${files[@]}"; do
  name=$(basename "$file" .jsonc)
  if [ "$(dirname "$file")" = "$folder" ]; then
    [[ $name =~ ^f([0-9]+)- ]] || fail "$name: which row is it of?"
    row=F${BASH_REMATCH[1]}
    grep -q "// $row[ :,]" "$file" || fail "$name does not say what row $row is"
  fi
  grep -qF "\"name\": \"$name\"" "$file" || fail "$name calls itself something else"
  grep -q '"policy": "\*", *"that": "ledger.residual_usd == 0"' "$file" ||
    fail "$name does not expect of every policy that the ledger sums to the bill (F123)"
done
run 0 check "${files[@]}"
status=0
"$REEVE" test "$folder" >all 2>stderr </dev/null || status=$?
grep -A 1 '✗' all >stdout || true
[ "$status" -eq 0 ] || fail "reeve test $folder: exit status $status; $(tail -n 1 all)"
mv all stdout
has stdout ', 0 failed'
lacks stdout '✗'
done_checking

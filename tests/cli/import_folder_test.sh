#!/usr/bin/env bash
# reeve import history FOLDER: what is no export is left out, and each such file can be found.
source "$(dirname "$0")/expect.bash"
tools=$source_root/tests/cli

mkdir -p dump/plots
cat >dump/jobs.psv <<'SACCT'
JobID|JobIDRaw|User|State|Submit|Start|End|ElapsedRaw|NNodes|AllocTRES
11|11|anastasia|COMPLETED|1785546000|1785546060|1785549660|3600|1|gres/gpu=1,node=1
SACCT
echo 'minutes of the meeting' >dump/meeting-minutes.txt
printf '\x89PNG\r\n\x1a\n\0\0' >dump/plots/lossplot.png

# Without names the table has numbers; the warning on the terminal names what is left out.
run 0 import history dump --anonymize -o hidden
has stderr 'warning[W0636]: left out of the folder: 2 files of no known kind'
has stderr 'dump/meeting-minutes.txt: not an export that reeve knows'
has stderr 'dump/plots/lossplot.png: not an export that reeve knows'
for page in stdout hidden/import.md; do
  [ "$(grep -cE '^[| ]+[0-9]+[| ]+left out' "$page")" = 2 ] || fail "$page: no rows by number"
done
has hidden/import.md 'The numbers are the order of reading'
python3 -c 'import json
assert [row["file"] for row in json.load(open("hidden/import.json"))["files"]] == [1, 2, 3]'
echo '["meeting-minutes", "lossplot", "anastasia"]' >names.json
python3 "$tools/no_names_check.py" hidden names.json || fail "a name is in the output"

# With names the table has them too.
run 0 import history dump -o named
has stderr 'dump/plots/lossplot.png: not an export that reeve knows'
grep -qE '^\| dump/plots/lossplot.png +\| left out' named/import.md || fail "no row of the file"

# Of very many the first are named.
mkdir many && cp dump/jobs.psv many
for i in $(seq 30); do echo notes >"many/$i.txt"; done
run 0 import history many -o from-many
has stderr 'left out of the folder: 30 files of no known kind'
has stderr '10 more; without --anonymize, import.md names all'
[ "$(grep -c 'left out' from-many/import.md)" = 31 ] || fail "not all are in the table"

# Packed files are left out too, each with what it is and the command that unpacks it.
mkdir packed && cp dump/jobs.psv packed
printf 'PK\003\004 zip' >packed/a.zip
printf '\050\265\057\375 zst' >packed/b.json.zst
printf '\3757zXZ\0 xz' >packed/c.json.xz
printf 'BZh91AY&SY' >packed/d.json.bz2
printf 'PAR1' >packed/e.parquet
tar -cf packed/f.tar dump
echo '{"status_code": 200, "data": {"a": {"__class__": "datetime"}}}' >packed/g.json
run 0 import history packed -o from-packed
has stderr 'left out of the folder: 1 tar archive, 4 packed files, 1 Parquet file, 1 recording of'
has stderr 'packed/a.zip: a zip archive; unzip -d dump packed/a.zip, then'
has stderr 'packed/b.json.zst: packed by zstd; zstd -d packed/b.json.zst, then'
has stderr 'packed/c.json.xz: packed by xz; xz -dk packed/c.json.xz, then'
has stderr 'packed/d.json.bz2: packed by bzip2; bzip2 -dk packed/d.json.bz2, then'
has stderr 'packed/e.parquet: a Parquet file; duckdb -c'
has stderr 'packed/f.tar: a tar archive; mkdir dump && tar -xf packed/f.tar -C dump'
has stderr 'packed/g.json: a recording of a test tool (placebo); write the value of'
has from-packed/import.md '# 1 job,'
run 3 import history packed/jobs.psv packed/a.zip packed/b.json.zst
has stderr 'error[E0391]: a zip archive'
has stderr 'error[E0391]: packed by zstd'

# Damaged exports are errors, all of them at once; an option goes on without them.
echo '[ { "TrainingJobName": "a", "ResourceConfig": {' >packed/broken.json
echo '{ "TrainingJobSummaries": [ { "TrainingJobName": "a" } ] }' >packed/list.json
run 3 import history packed -o from-packed
has stderr 'packed/broken.json'
has stderr 'packed/list.json'
[ "$(grep -c 'note: --keep-going reports such files, and imports the rest' stderr)" = 1 ] ||
  fail "the option is not named once"
run 0 import history packed --keep-going -o from-packed
has stderr 'packed/list.json'
done_checking

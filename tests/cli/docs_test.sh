#!/usr/bin/env bash
# The reference pages are current, the notes of rules complete, their examples and all links right.
source "$(dirname "$0")/expect.bash"

# Paths in messages are those given: the tree is a copy of the pages alone.
reference=$source_root/docs/reference
run 0 docs --check "$reference"
is_empty stdout

# What was changed, removed or added is named.
cp -r "$reference" pages
run 0 docs --check pages
echo changed >>pages/keys.md
rm pages/metrics.md
cp pages/tables.md pages/rules/old.md
run 1 docs --check pages
has stderr 'pages/keys.md is not current'
has stderr 'pages/metrics.md is missing'
has stderr 'pages/rules/old.md is not a page: delete it'
lacks stderr tables.md
has stderr 'reeve docs pages'
run 1 docs --check pages --json
is_json stdout
has stdout '"file": "pages/keys.md"'

# Writing makes them current, and replaces no other file.
rm pages/rules/old.md
run 0 docs pages
has stderr 'wrote pages/keys.md'
lacks stderr tables.md
run 0 docs --check pages
diff -r "$reference" pages >stdout || fail "other pages than those of the tree"
echo 'my own' >pages/keys.md
run 64 docs pages
has stderr 'pages/keys.md already exists'

# What the pages must hold, whatever their form.
page() {
  grep -qF -- "$2" "$reference/$1" || fail "$1 lacks: $2"
  checks=$((checks + 1))
}
page keys.md '| `stop_grace` |'
page metrics.md '| `wasted_usd` | dollars |'
page tables.md '| `BilledCost` |'
page tables.md '| `submit_s` |'
page diagnostics.md '## W0412'
page commands.md '## reeve compare'
page commands.md '| 99 |'
page rules/stalled_gpu.md '| `period` |'

# Every rule has notes with their sections, and its examples load.
"$REEVE" policies --json >kinds.json
python3 - "$source_root" "$REEVE" <<'PYTHON' >stdout 2>stderr || fail "notes of rules"
import json, pathlib, re, subprocess, sys
root, reeve = pathlib.Path(sys.argv[1]), sys.argv[2]
kinds = [kind["name"] for kind in json.load(open("kinds.json"))]
notes = {file.stem: file.read_text() for file in root.glob("policies/*/*.md")}
wrong = [f"{name}: no notes policies/FAMILY/{name}.md" for name in kinds if name not in notes]
wrong += [f"{name}: notes of no rule" for name in notes if name not in kinds]

MOVES = ("on_demand", "spot_only", "strawman", "uniform_progress")
TYPES = {"p5": 90, "p4de": 40}
def scenario(name, policies):
    types = ", ".join(f'"ml.{t}": {{ "usd_per_hour": {usd}, "spot_usd_per_hour": 9, "gpus": 8 }}'
                      for t, usd in TYPES.items())
    fleets = [f'{{ "name": "{t}", "instance_type": "ml.{t}", "capacity": 16 }}' for t in TYPES]
    spot = '{ "name": "spot", "instance_type": "ml.p5", "capacity": 16, "market": "spot" }'
    placed = ', "fleet": "p5"'
    if name in MOVES: fleets, placed = [fleets[0], spot], ""
    world = ('"platform": { "model": "ticks", "tick": "10m", "restart_overhead": "6m" },'
             if name in MOVES else "")
    return f'''{{ "reeve": 1, "name": "example", "clock": {{ "horizon": "9d" }},
  "prices": {{ "instances": {{ {types} }} }}, "fleet": [ {", ".join(fleets)} ], {world}
  "jobs": [ {{ "name": "train", "work": "20h", "deadline": "30h"{placed} }} ],
  "policies": {{
{policies}
}} }}
'''

examples = 0
for name, text in sorted(notes.items()):
    heads = re.findall(r"^## (.*)$", text, re.M)
    wanted = [head for head in heads if head in ("Example", "How it decides", "Limits")]
    if wanted != ["Example", "How it decides", "Limits"] or heads[0] != "Example":
        wrong.append(f"{name}: its sections are {heads}")
    blocks = re.findall(r"^```jsonc\n(.*?)^```$", text, re.S | re.M)
    if not blocks: wrong.append(f"{name}: no example")
    for block in blocks:
        examples += 1
        if f'"rule": "{name}"' not in block: wrong.append(f"{name}: an example without the rule")
        pathlib.Path("example.jsonc").write_text(scenario(name, block))
        check = subprocess.run([reeve, "check", "example.jsonc"], capture_output=True, text=True)
        if check.returncode != 0:
            wrong.append(f"{name}: an example does not load\n{block}{check.stdout}{check.stderr}")
assert examples >= len(kinds), "too few examples"
print("\n".join(wrong))
sys.exit(bool(wrong))
PYTHON
checks=$((checks + 1))

# Links between pages lead to files and headings that exist.
python3 - "$source_root" <<'PYTHON' >stdout 2>stderr || fail "broken links"
import pathlib, re, sys
root = pathlib.Path(sys.argv[1]).resolve()
pages = sorted(root.glob("docs/**/*.md"))
pages += [root / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")]
FENCE = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)

def prose(page):
    return FENCE.sub("", page.read_text())

def anchors(page):
    """As GitHub makes them from headings."""
    seen, found = {}, set(re.findall(r'<a (?:id|name)="([^"]+)"', page.read_text()))
    for head in re.findall(r"^#+ +(.*?) *#*$", prose(page), re.M):
        head = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head)
        slug = re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found

known, wrong, links = {}, [], 0
for page in pages:
    text = re.sub(r"(`+)[^`].*?\1", "", prose(page))
    for target in re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", text):
        if re.match(r"[a-z]+:", target): continue
        links += 1
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        where = page.relative_to(root)
        if not file.exists():
            wrong.append(f"{where}: {target}: no such file")
        elif anchor and file.suffix == ".md":
            known.setdefault(file, anchors(file))
            if anchor not in known[file]: wrong.append(f"{where}: {target}: no such heading")
assert links > 200, f"only {links} links"
print("\n".join(wrong))
sys.exit(bool(wrong))
PYTHON
checks=$((checks + 1))
done_checking

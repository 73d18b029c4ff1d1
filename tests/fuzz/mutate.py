#!/usr/bin/env python3
"""Mutates scenarios, traces, price books and AWS Batch JSON, and runs reeve on each mutant.

A mutant must end within a time limit without a signal, and with an exit code of reeve.  If it is
invalid (exit code 3), each error must name a file, and of JSON a line and a column.

    tests/fuzz/mutate.py build/release/reeve --mutants 20000 --seed 1 --keep found

What is mutated must itself be valid (exit code 0): mutants of an invalid input test its first error.

Mutants that break a rule are kept in the directory `--keep`.  The exit status is 1 if there is one.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXIT_CODES = {0, 1, 3, 64, 99, 130}
# Of errors about a file as a whole: not there, a directory, unreadable, too large, no price book.
ABOUT_FILES = {"E0001", "E0002", "E0003", "E0004", "E0324"}
SECONDS = 240  # with sanitizers the largest scenario of the tests takes 80

TRACE = """job_id,submit_s,duration_s,gpus_total,user,queue
j1,0,3600,8,ann,prod
j2,60,1800,4,bob,dev
j3,120,60.5,1,"c, d",dev
j4,7200,86400,16,ann,prod
"""
TRACE_SCENARIO = """{ "reeve": 1, "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "7d" },
  "prices": { "instances": { "x": { "usd_per_hour": 3, "gpus": 8 } } },
  "fleet": [ { "name": "f", "instance_type": "x", "capacity": 4 } ],
  "platform": { "model": "ideal" },
  "workload": { "trace": "mutant.csv" },
  "policies": { "p": [ { "rule": "schedule", "algorithm": "fifo" } ] } }
"""
VALUES = ["0", "-1", "1e308", "-0", "1e-320", "18446744073709551616", "9223372036854775807", "null",
          "true", '""', '"0s"', '"-1h"', '"999999999d"', '"\\u0000"', '"=cmd()"', '"\\u001b[31m"',
          "[]", "{}", "[[]]", '"*"', '"."', '"../x"', '"NaN"', "0.1", '"1h"', '"$1"', '"100%"']
CELLS = ["", "0", "-1", "1e999", "nan", "inf", "18446744073709551616", '"', '""', "=1+1", "\x1b[31m",
         "x" * 300, "2026-01-01T00:00:00Z", "1:00:00", "é", "\0", "-0", "0x10", " ", "1e-400"]


def without_comments(text):
    """JSON with comments and trailing commas as JSON."""
    pattern = r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/'
    plain = re.sub(pattern, lambda m: m[0] if m[0].startswith('"') else " ", text, flags=re.S)
    return re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', lambda m: m[1] or "", plain)


def sources():
    """(kind, name, text) of everything that is mutated."""
    found = []
    for folder in ("scenarios/gallery", "tests/scenarios", "tests/rules"):
        for path in sorted((ROOT / folder).rglob("*.jsonc")):
            found.append(("scenario", str(path.relative_to(ROOT)), path.read_text()))
    for path in sorted((ROOT / "scenarios/prices").glob("*.csv")):
        head = "".join(path.read_text().splitlines(keepends=True)[:40])
        found.append(("prices", str(path.relative_to(ROOT)), head))
    for _ in range(10):  # small sources have a share too
        found.append(("trace", "trace", TRACE))
    return found


def places(value, path=()):
    """The paths of all values below the root."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield path + (key,)
        if isinstance(inner, (dict, list)):
            yield from places(inner, path + (key,))


def pool_of(texts):
    """By key, the values that scenarios have, as JSON."""
    pool = collections.defaultdict(set)
    for text in texts:
        tree = json.loads(without_comments(text))
        for path in places(tree):
            if isinstance(path[-1], str):
                pool[path[-1]].add(json.dumps(parent_of(tree, path)[path[-1]]))
    return {key: sorted(values) for key, values in pool.items()}


def cross(rng, tree, pool):
    """Gives one key a value that another scenario has there, or an object another of its keys."""
    paths = [path for path in places(tree) if isinstance(path[-1], str) and path[-1] in pool]
    if not paths:
        return
    path = rng.choice(paths)
    above, key = parent_of(tree, path), path[-1]
    other = json.loads(rng.choice(pool[key]))
    if isinstance(other, dict) and isinstance(above[key], dict) and other and rng.random() < 0.7:
        inner = rng.choice(sorted(other))
        above[key][inner] = other[inner]
    else:
        above[key] = other


def parent_of(tree, path):
    for key in path[:-1]:
        tree = tree[key]
    return tree


def mutate_tree(rng, tree):
    """One change of the structure."""
    paths = list(places(tree))
    if not paths:
        return
    path = rng.choice(paths)
    above, key = parent_of(tree, path), path[-1]
    change = rng.randrange(8)
    if change == 0:
        del above[key]
    elif change == 1:
        other = rng.choice(paths)
        above[key] = json.loads(json.dumps(parent_of(tree, other)[other[-1]]))
    elif change == 2 and isinstance(above, dict):
        above[rng.choice([key + "x", key[:-1], "", "name", "*", "a b", "=x"])] = above.pop(key)
    elif change == 3 and isinstance(above, list):
        copies = rng.choice([1, 2, 300, 5000])
        above.extend(json.loads(json.dumps(above[key])) for _ in range(copies))
    elif change == 4 and isinstance(above[key], (int, float)):
        above[key] = rng.choice([above[key] * 1000, -above[key], 0, 1, above[key] + 0.5])
    elif change == 5 and isinstance(above, dict):
        items = list(above.items())
        rng.shuffle(items)
        above.clear()
        above.update(items)
    elif change == 6 and isinstance(above[key], str) and above[key]:
        at = rng.randrange(len(above[key]))
        above[key] = above[key][:at] + rng.choice(["", "\x1b", "é", "\n", "9"]) + above[key][at + 1:]
    else:
        above[key] = json.loads(rng.choice(VALUES))


def mutate_bytes(rng, data):
    """One change of a few bytes."""
    data = bytearray(data)
    at = rng.randrange(len(data) + 1)
    change = rng.randrange(5)
    if change == 0:
        del data[at:at + rng.choice([1, 1, 2, 8, 64])]
    elif change == 1:
        data[at:at] = rng.choice([b"{", b"}", b"[", b"]", b",", b'"', b"\0", b"\xff", b"//", b"/*",
                                  b"\r\n", b"1", b"-", b"\x1b", "é".encode()])
    elif change == 2:
        data[at:at + 1] = bytes([rng.randrange(256)])
    elif change == 3:
        del data[at:]
    else:
        begin = rng.randrange(len(data) + 1)
        data[at:at] = data[begin:begin + rng.randrange(200)]
    return bytes(data)


def mutate_csv(rng, text):
    """One change of a cell, a column or a line."""
    rows = [line.split(",") for line in text.splitlines()]
    row = rng.randrange(len(rows))
    column = rng.randrange(len(rows[row]))
    change = rng.randrange(6)
    if change == 0:
        del rows[row]
    elif change == 1:
        rows.insert(row, list(rows[row]))
    elif change == 2:
        for cells in rows:
            if column < len(cells):
                del cells[column]
    elif change == 3:
        rows[row].insert(column, rng.choice(CELLS))
    else:
        rows[row][column] = rng.choice(CELLS)
    return "\n".join(",".join(cells) for cells in rows) + "\n"


def mutant_of(rng, kind, text, pool):
    """The bytes of one mutant."""
    if kind in ("prices", "trace"):
        for _ in range(rng.choice([1, 1, 2, 3])):
            text = mutate_csv(rng, text) if text.strip() else text
        data = text.encode()
        return mutate_bytes(rng, data) if rng.random() < 0.2 else data
    if rng.random() < 0.15:
        data = text.encode()
        for _ in range(rng.choice([1, 1, 2, 4])):
            data = mutate_bytes(rng, data)
        return data
    tree = json.loads(without_comments(text))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if kind == "scenario" and rng.random() < 0.75:
            cross(rng, tree, pool)
        else:
            mutate_tree(rng, tree)
    return json.dumps(tree, indent=rng.choice([None, 1]),
                      ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def commands_for(kind, name):
    """The arguments of each command that reads the mutant."""
    if kind == "prices":
        return [["prices", "validate", name]]
    if kind == "batch":
        return [["import", "batch", name, "-o", "imported.jsonc"]]
    if kind == "trace":
        return [["run", "mutant.jsonc", "--runs", "1"],
                ["import", "csv", "mutant.csv", "-o", "imported.csv"]]
    return [["check", name], ["run", name, "--runs", "1", "--threads", "1", "-o", "out"],
            ["compare", name, "--runs", "2", "--threads", "1"]]


def problem_of(ended, arguments):
    """What is wrong with how the program ended; none: nothing."""
    if ended.returncode not in EXIT_CODES:
        return f"exit code {ended.returncode}"
    text = (ended.stdout + b"\n" + ended.stderr).decode(errors="replace")
    if re.search(r"bug in reeve|check failed|terminate called|vector::|basic_string|std::", text):
        return "an internal message"
    output = ended.stdout + ended.stderr
    if b"\x1b" in output or b"\0" in output:
        return "a control character in the output"
    if ended.returncode != 3:
        expects = arguments[0] in ("run", "compare")
        return "exit code 1 without a muted rule" if (
            ended.returncode == 1 and expects and "muted" not in text) else None
    findings = ("\n" + text).split("\nerror[")
    if len(findings) < 2:
        return "an invalid input without an error"
    for finding in findings[1:]:
        if finding[:5] in ABOUT_FILES:
            continue
        place = re.search(r"--> (\S.*)", finding.split("\nwarning[")[0])
        # A table without rows has a place, but no line.
        if not place or (".json" in place[1] and not re.search(r":\d+:\d+$", place[1])):
            return "an error without a place"
    return None


def directory_of(kind, source, data):
    """A new directory with a mutant and the files that it names, and the name of the mutant."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="mutant-"))
    if kind == "scenario":
        for beside in (ROOT / source).parent.iterdir():
            if beside.is_file() and beside.suffix != ".jsonc":
                (directory / beside.name).symlink_to(beside)
    name = {"prices": "mutant.csv", "trace": "mutant.csv", "batch": "mutant.json"}.get(
        kind, "mutant.jsonc")
    (directory / name).write_bytes(data)
    if kind == "trace":
        (directory / "mutant.jsonc").write_text(TRACE_SCENARIO)
    return directory, name


def run(program, arguments, directory):
    return subprocess.run([program, *arguments], cwd=directory, capture_output=True,
                          timeout=SECONDS, stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, "NO_COLOR": "1"})


def invalid_sources(program, found, threads):
    """(source, command, how it ended) of all that is not valid before it is mutated."""
    def check(kind, source, text):
        directory, name = directory_of(kind, source, text.encode())
        commands = commands_for(kind, name)
        if kind == "scenario":
            commands = commands[:1]  # the other tests run them
        ends = [(source, " ".join(each), run(program, each, directory)) for each in commands]
        shutil.rmtree(directory)
        return [end for end in ends if end[2].returncode != 0]
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        checked = pool.map(lambda one: check(*one), sorted(set(found)))
        return [end for ends in checked for end in ends]


def mutant_directory(seed, number, found, pool, program):
    """Makes mutant `number` and runs it.  Returns (problem, directory, arguments, exit code)."""
    rng = random.Random(f"{seed}/{number}")
    kind, source, text = rng.choice(found)
    directory, name = directory_of(kind, source, mutant_of(rng, kind, text, pool))
    arguments = rng.choice(commands_for(kind, name))
    if kind == "scenario" and arguments[0] != "check":
        # Reads long and wide inputs too, but does not simulate years of them.
        arguments += ["-q"]
    try:
        ended = run(program, arguments, directory)
        problem, code = problem_of(ended, arguments), ended.returncode
    except subprocess.TimeoutExpired:
        problem, code = f"no end within {SECONDS} s", None
    return problem, directory, arguments, code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=pathlib.Path, help="a directory for mutants that fail")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    found = sources()
    values = pool_of(text for kind, _, text in found if kind == "scenario")
    with tempfile.TemporaryDirectory() as scratch:
        batch = batch_sources(program, scratch)
    found += batch * max(1, 20 // max(1, len(batch)))
    invalid = invalid_sources(program, found, options.threads)
    for source, command, ended in invalid:
        print(f"{source} is not valid: reeve {command}: exit code {ended.returncode}\n"
              + (ended.stdout + ended.stderr).decode(errors="replace"))
    if invalid or not batch:
        print(f"{len(invalid)} invalid inputs, {len(batch)} templates of AWS Batch")
        return 1
    problems = 0
    codes = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.threads) as threads:
        numbers = range(options.first, options.first + options.mutants)
        runs = threads.map(lambda n: (n, *mutant_directory(options.seed, n, found, values, program)), numbers)
        for number, problem, directory, arguments, code in runs:
            codes[code] += 1
            if problem:
                problems += 1
                print(f"mutant {number}: {problem}: reeve {' '.join(arguments)}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    shutil.rmtree(options.keep / str(number), ignore_errors=True)
                    shutil.move(directory, options.keep / str(number))
            shutil.rmtree(directory, ignore_errors=True)
    ends = ", ".join(f"{code}: {count}" for code, count in codes.most_common())
    print(f"{options.mutants} mutants, {problems} problems; by exit code {ends}")
    return 1 if problems else 0


def batch_sources(program, scratch):
    """Templates of AWS Batch that reeve exports from scenarios with queues."""
    found = []
    for path in sorted((ROOT / "tests/rules/schedule").glob("*.jsonc")):
        tree = json.loads(without_comments(path.read_text()))
        if "queues" not in tree or not tree.get("policies") or len(found) >= 10:
            continue
        out = pathlib.Path(scratch) / (path.stem + ".json")
        subprocess.run([program, "export", "batch", str(path), "-p", next(iter(tree["policies"])),
                        "-o", str(out)], capture_output=True, check=False)
        if out.exists():
            found.append(("batch", out.name, out.read_text()))
    return found


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the examples of the documentation and compares what they print.

    tests/cli/doc_examples.py REEVE SCRATCH PAGE... [--update]

A code block whose page says "as `NAME`" before it is written to that file in a folder of its own.
Each command after "$ " in a console block runs in that folder. The lines below it must occur in its
output, in that order; "..." stands for any number of lines. With --update a line that does not occur
is replaced by the most similar line of the output.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
FILE = re.compile(r"as `([\w./-]+)`")


def blocks_of(text):
    """(file named before the block, language, where its body begins, body) of each code block."""
    end = 0
    for found in FENCE.finditer(text):
        named = FILE.findall(text[end:found.start()])
        yield named[-1] if named else None, found.group(1), found.start(2), found.group(2)
        end = found.end()


def commands_of(body):
    """(command, [(index of line, line)...]) of each command in a console block."""
    commands = []
    for index, line in enumerate(body.splitlines()):
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands and line.strip() not in ("...", ""):
            commands[-1][1].append((index, line))
    return commands


def output_of(command, folder, reeve):
    environment = dict(os.environ, PATH=f"{pathlib.Path(reeve).resolve().parent}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return done.stdout.splitlines()


def steady(line):
    """The line without what a run may change: the milliseconds that it took."""
    return re.sub(r"  \d+ ms$", "", line.rstrip())


def compare(expected, output):
    """The expected lines that do not occur, each with the most similar line that is left."""
    missing, at = [], 0
    for index, line in expected:
        shown = [number for number in range(at, len(output)) if steady(output[number]) == steady(line)]
        if shown:
            at = shown[0] + 1
            continue
        near = difflib.get_close_matches(line, output[at:], 1, 0.5)
        missing.append((index, line, near[0] if near else None))
        if near:
            at += output[at:].index(near[0]) + 1
    return missing


def check_page(reeve, folder, page, update):
    """The number of lines compared, and of those that differ."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = page.read_text(encoding="utf-8")
    lines = differ = 0
    edited = text
    for name, language, begin, body in blocks_of(text):
        if language != "console":
            if name:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(body, encoding="utf-8")
            continue
        new = body.splitlines()
        for command, expected in commands_of(body):
            command = command.removeprefix("build/release/")
            if not command.startswith("reeve "):
                continue
            output = output_of(command, folder, reeve)
            lines += len(expected)
            for index, line, near in compare(expected, output):
                differ += 1
                number = text[:begin].count("\n") + index + 1
                print(f"{page}:{number}: `{command}` does not print\n  {line}\n  but {near}")
                if near:
                    new[index] = near
        edited = edited.replace(body, "\n".join(new) + "\n")
    if update and edited != text:
        page.write_text(edited, encoding="utf-8")
    return lines, differ


def main():
    update = "--update" in sys.argv
    reeve, scratch, *pages = [word for word in sys.argv[1:] if word != "--update"]
    lines = differ = 0
    for page in pages:
        checked = check_page(reeve, pathlib.Path(scratch) / "page", pathlib.Path(page), update)
        lines += checked[0]
        differ += checked[1]
    print(f"{lines} lines of output compared, {differ} differ")
    sys.exit(differ > 0 or lines == 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Prints the CPU seconds of a clean build as `./setup demo` makes it, by target.

    bench/build_cpu.py [--preset=release] [--quick=ON] [--targets=TARGET,...] [--json=FILE]

Configures and builds into a folder of its own, without ccache.  Each compiler and linker runs under
this script, which adds up the user and system time of the process.  The figures go into
bench/bounds.json as build/TARGET_cpu_s and build/all_cpu_s: `bench/check_bounds.py --only=build_cpu`
compares them.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def launch(log, command):
    """Runs one compiler and appends its CPU seconds and its output file to the log."""
    status = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = command[command.index("-o") + 1] if "-o" in command else "?"
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{used.ru_utime + used.ru_stime:.3f} {output}\n")
    return status


def target_of(output):
    """CMakeFiles/reeve_app.dir/app/run.cpp.o belongs to reeve_app."""
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    return found.group(1) if found else pathlib.Path(output).name


def build(preset, quick, targets, folder):
    log = folder / "cpu.log"
    log.touch()
    launcher = f"{sys.executable};{pathlib.Path(__file__).resolve()};--launch;{log}"
    environment = dict(os.environ, CCACHE_DISABLE="1")
    configure = ["cmake", "--preset", preset, "-B", folder / "build", "-DBUILD_TESTING=OFF",
                 f"-DREEVE_QUICK={quick}",
                 f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}",
                 f"-DCMAKE_CXX_LINKER_LAUNCHER={launcher}"]
    for command in (configure, ["cmake", "--build", folder / "build", "--target", *targets]):
        done = subprocess.run(command, cwd=ROOT, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}")
    seconds = collections.Counter()
    for line in log.read_text(encoding="utf-8").splitlines():
        used, output = line.split(" ", 1)
        seconds[target_of(output)] += float(used)
    return seconds


def main():
    if sys.argv[1:2] == ["--launch"]:
        sys.exit(launch(sys.argv[2], sys.argv[3:]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release")
    parser.add_argument("--quick", default="ON", choices=["ON", "OFF"], help="default: ON")
    parser.add_argument("--targets", default="all", help="default: all")
    parser.add_argument("--json", help="a file for the figures")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seconds = build(arguments.preset, arguments.quick, arguments.targets.split(","),
                        pathlib.Path(folder))
    for target, used in sorted(seconds.items(), key=lambda row: -row[1]):
        print(f"{used:8.1f} s  {target}")
    print(f"{sum(seconds.values()):8.1f} s  all")
    if arguments.json:
        figures = {f"build/{target}_cpu_s": used for target, used in seconds.items()}
        figures["build/all_cpu_s"] = sum(seconds.values())
        pathlib.Path(arguments.json).write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()

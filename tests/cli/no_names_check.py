"""Looks in an anonymous import for texts of its input.

usage: no_names_check.py DIRECTORY INPUT...

A text is a value of JSON or a cell of CSV with six letters or more. Words that exports of all teams
have in common, such as statuses and instance types, are no names.
"""
import csv
import gzip
import json
import os
import re
import sys

COMMON = re.compile(
    r"(ml\.[a-z0-9.-]+|Completed|Stopped|Failed|InProgress|Starting|Downloading|Training|Uploading|"
    r"Stopping|MaxRuntimeExceeded|Amazon SageMaker|Standard|Complete|Usage)$")


def texts_of_json(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_of_json(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_of_json(each)


def texts_of(path):
    if path.endswith(".csv"):
        with open(path, newline="") as file:
            for row in list(csv.reader(file))[1:]:
                yield from row
    else:
        with open(path) as file:
            yield from texts_of_json(json.load(file))


output = ""
for folder, _, files in os.walk(sys.argv[1]):
    for name in files:
        if name == "names.key":
            continue
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        output += (gzip.decompress(data) if name.endswith(".gz") else data).decode() + name
names = {text for path in sys.argv[2:] for text in texts_of(path)
         if len(re.findall("[A-Za-z]", text)) >= 6 and not COMMON.match(text)}
assert names, "the input has no names"
found = sorted(name for name in names if name in output)
print(f"{len(names)} texts of the input, {len(found)} in the output")
for name in found[:10]:
    print(name, file=sys.stderr)
sys.exit(1 if found else 0)

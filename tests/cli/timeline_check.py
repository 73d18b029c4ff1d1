#!/usr/bin/env python3
"""Checks timelines against the rules of the Trace Event Format, and against tables.

usage: timeline_check.py TIMELINE [DIRECTORY]

DIRECTORY has the tables of the same runs (-o): the dollars of slices must sum to its ledger.
"""

import collections
import csv
import decimal
import gzip
import json
import pathlib
import sys

METADATA = {
    "process_labels": "labels",
    "process_name": "name",
    "process_sort_index": "sort_index",
    "thread_name": "name",
    "thread_sort_index": "sort_index",
}
UNBILLED = {"pending", "preempted", "requeue_wait"}


def without_repeats(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), f"a member is repeated: {pairs}"
    return members


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def strict(text):
    """Strict JSON: no NaN, no repeated member, exact numbers."""
    return json.loads(
        text,
        parse_float=decimal.Decimal,
        parse_constant=refuse,
        object_pairs_hook=without_repeats,
    )


def read(file):
    data = pathlib.Path(file).read_bytes()
    if file.endswith(".gz"):
        data = gzip.decompress(data)
    return strict(data.decode("utf-8", "strict"))


def check_members(event):
    phase = event["ph"]
    members = {"name", "ph", "pid", "tid", "args"}
    if phase != "M":
        members.add("ts")
    if phase in "Xi":
        members.add("cat")
    if phase == "X":
        members.add("dur")
    if phase == "i":
        members.add("s")
        assert event["s"] == "t", event
    assert phase in "XiCM", event
    assert set(event) == members, event
    assert isinstance(event["name"], str) and event["name"], event
    for number in members & {"ts", "dur", "pid", "tid"}:
        assert type(event[number]) is int, event
    assert event.get("dur", 0) >= 0, event
    if phase == "M":
        assert list(event["args"]) == [METADATA[event["name"]]], event
    if phase == "C":
        assert event["args"], event
        assert all(type(value) is int for value in event["args"].values()), event


def check_order(events):
    """Slices of a thread are sorted and do not overlap; so are marks and counters."""
    last = collections.defaultdict(lambda: float("-inf"))
    for event in events:
        if event["ph"] == "M":
            continue
        counter = event["name"] if event["ph"] == "C" else None
        key = event["ph"], event["pid"], event["tid"], counter
        assert event["ts"] >= last[key], event
        last[key] = event["ts"] + event.get("dur", 0)


def check_names(events):
    """Each process and thread has one name, and its id is of no other."""
    named = collections.Counter(
        (e["name"], e["pid"], e["tid"]) for e in events if e["ph"] == "M"
    )
    assert max(named.values()) == 1, named.most_common(3)
    processes = {e["pid"] for e in events if e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert len({tid for _, tid in threads}) == len(threads)
    assert not {tid for _, tid in threads} & processes
    for event in events:
        assert event["pid"] in processes, event
        if event["ph"] in "Xi":
            assert (event["pid"], event["tid"]) in threads, event


def check_totals(events, directory):
    policies = {
        e["pid"]: e["args"]["name"].split(" / ")[0]
        for e in events
        if e["name"] == "process_name"
    }
    slices = collections.Counter()
    for event in events:
        if event["ph"] != "X":
            continue
        assert event["args"]["instances"] >= 0, event
        if event["cat"] == "pending":
            assert event["name"] in UNBILLED and "usd" not in event["args"], event
            continue
        key = policies[event["pid"]], event["name"]
        slices[key] += event["args"]["usd"]
    ledger = collections.Counter()
    with open(f"{directory}/ledger.csv", newline="", encoding="utf-8") as table:
        for line in csv.DictReader(table):
            policy, replication = line["run_id"].rsplit("/", 1)
            if replication == "0" and line["ChargeCategory"] == "Usage":
                ledger[policy, line["x_class"]] += decimal.Decimal(line["EffectiveCost"])
    assert set(slices) == set(ledger), set(slices) ^ set(ledger)
    for key, usd in ledger.items():
        assert slices[key] == usd, f"{key}: {slices[key]} in slices, {usd} in the ledger"
    return len(ledger)


def main():
    timeline = read(sys.argv[1])
    assert list(timeline) == ["traceEvents", "displayTimeUnit"], list(timeline)
    assert timeline["displayTimeUnit"] == "ms"
    events = timeline["traceEvents"]
    for event in events:
        check_members(event)
    check_order(events)
    check_names(events)
    sums = check_totals(events, sys.argv[2]) if len(sys.argv) > 2 else 0
    print(f"{len(events)} events and {sums} sums are right")


if __name__ == "__main__":
    main()

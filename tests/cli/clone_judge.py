#!/usr/bin/env python3
"""Compares requests for further attempts with the model of SageMaker in botocore.

The descriptions are random, made from the model: each optional member is there, empty or absent.

usage: clone_judge.py UNIT_LIVE FOLDER [NUMBER]    exit status 77: botocore is not installed
"""
import json
import os
import random
import subprocess
import sys

try:
    import botocore
    import botocore.session
    from botocore.validate import ParamValidator
except ImportError as error:
    print(f"skipped: python3 has no botocore ({error}); the package is python3-botocore")
    sys.exit(77)

NAME = "TrainingJobName"
EMPTY = {"structure": {}, "map": {}, "list": [], "string": ""}
DAY = 86400
MOST_TAGS = 50


class Filler:
    """Draws values of a shape."""

    def __init__(self, draw, presence, emptiness):
        self.draw = draw
        self.presence = presence
        self.emptiness = emptiness

    def value(self, shape, name=""):
        kind = shape.type_name
        if kind == "structure":
            return self.structure(shape)
        if kind == "list":
            return [self.value(shape.member) for _ in range(self.length(shape, 3))]
        if kind == "map":
            return {f"key{i}": self.draw.choice(["", "text"]) for i in range(self.length(shape, 3))}
        if kind == "boolean":
            return self.draw.random() < 0.5
        if kind in ("integer", "long"):
            return shape.metadata.get("min", 0) + self.draw.randrange(100000)
        if kind in ("timestamp", "float", "double"):
            return self.draw.randrange(4 * 10**9) / 2
        if kind != "string":
            sys.exit(f"the model has a member of type {kind}, which this test cannot fill")
        if "enum" in shape.metadata:
            return self.draw.choice(shape.metadata["enum"])
        if name.startswith("S3"):
            return "s3://bucket/place" + self.draw.choice(["", "/", "/below"])
        return "x" * max(1, shape.metadata.get("min", 0))

    def length(self, shape, most):
        return self.draw.randint(max(1, shape.metadata.get("min", 0)), most)

    def structure(self, shape, always=()):
        made = {}
        for name, member in shape.members.items():
            if name in shape.required_members or name in always:
                made[name] = self.value(member, name)
            elif self.draw.random() < self.presence:
                empty = self.draw.random() < self.emptiness
                empty_value = self.draw.choice([None, EMPTY.get(member.type_name)])
                made[name] = empty_value if empty else self.value(member, name)
        if not pruned(made, shape) and shape.members:
            name, member = next(iter(shape.members.items()))
            made[name] = self.value(member, name)
        return made


def pruned(value, shape):
    """What both a description and a request can have, without empty members."""
    if shape.type_name == "list":
        return [pruned(element, shape.member) for element in value]
    if shape.type_name != "structure":
        return value
    kept = {}
    for name, member in shape.members.items():
        inner = value.get(name)
        if inner is not None:
            inner = pruned(inner, member)
        if inner is not None and inner not in ("", [], {}):
            kept[name] = inner
    return kept


def with_limits(request, changes):
    limits = request.get("StoppingCondition", {})
    if "max_runtime" in changes:
        limits["MaxRuntimeInSeconds"] = changes["max_runtime"]
    if request.get("EnableManagedSpotTraining"):
        longest = limits.get("MaxRuntimeInSeconds", DAY)
        limits["MaxWaitTimeInSeconds"] = max(longest, limits.get("MaxWaitTimeInSeconds", DAY))
    else:
        limits.pop("MaxWaitTimeInSeconds", None)
    if limits or "StoppingCondition" in request:
        request["StoppingCondition"] = limits


def with_instances(request, changes):
    resources = request.get("ResourceConfig")
    if resources is None:
        return
    if request.get("EnableManagedSpotTraining"):
        resources.pop("KeepAlivePeriodInSeconds", None)
    groups = resources.get("InstanceGroups", [resources])
    wanted = changes.get("instance_type")
    if wanted and len(groups) == 1 and groups[0].get("InstanceType") != wanted:
        groups[0]["InstanceType"] = wanted
        resources.pop("TrainingPlanArn", None)
        resources.pop("InstancePlacementConfig", None)


def expected_tags(tags, changes):
    kept = [tag for tag in tags if changes.get("keep_tags", True)
            and not tag["Key"].lower().startswith("aws:")
            and tag["Key"] not in ("reeve:retry-of", "reeve:attempt")]
    return kept[:MOST_TAGS - 2] + [{"Key": "reeve:retry-of", "Value": changes["first_name"]},
                                   {"Key": "reeve:attempt", "Value": str(changes["attempt"])}]


def expected_request(case, accepted):
    changes = case["changes"]
    request = json.loads(json.dumps(pruned(case["described"], accepted)))
    request[NAME] = changes["name"]
    if "spot" in changes and changes["spot"] != request.get("EnableManagedSpotTraining", False):
        request["EnableManagedSpotTraining"] = changes["spot"]
    if "AlgorithmName" in request.get("AlgorithmSpecification", {}):
        request["AlgorithmSpecification"].pop("TrainingImage", None)
    with_limits(request, changes)
    with_instances(request, changes)
    if changes.get("from_scratch") and "CheckpointConfig" in request:
        place = request["CheckpointConfig"]["S3Uri"].rstrip("/")
        request["CheckpointConfig"]["S3Uri"] = f"{place}/{changes['name']}"
    request["Tags"] = expected_tags(case["tags"], changes)
    return request


def changed_paths(before, after, path=""):
    """The members that differ: of each the path, as `differences` writes it."""
    if before == after:
        return []
    if isinstance(after, dict) and (before is None or isinstance(before, dict)):
        before = before or {}
        keys = set(before) | set(after)
        return [found for key in keys for found in changed_paths(
            before.get(key), after.get(key), f"{path}.{key}" if path else key)]
    if isinstance(after, list) and isinstance(before, list) and len(after) == len(before):
        return [found for at, pair in enumerate(zip(before, after))
                for found in changed_paths(*pair, f"{path}[{at}]")]
    return [path]


def wrong_values(value, shape, path=""):
    """What ParamValidator lets pass: texts outside of an enumeration."""
    if shape.type_name == "structure":
        return [found for name, inner in value.items()
                for found in wrong_values(inner, shape.members[name], f"{path}.{name}")]
    if shape.type_name == "list":
        return [found for inner in value for found in wrong_values(inner, shape.member, path)]
    allowed = shape.metadata.get("enum")
    return [path] if allowed and value not in allowed else []


def case_of(number, draw, described, accepted):
    """The first has all members, the second only the required ones."""
    presence = 1 if number == 0 else 0 if number == 1 else draw.choice([0.2, 0.5, 0.9])
    filler = Filler(draw, presence, 0 if number == 0 else 0.15)
    changes = {"name": f"job-r{number + 2}", "first_name": "job", "attempt": number + 2}
    types = accepted.members["ResourceConfig"].members["InstanceType"].metadata["enum"]
    options = {"spot": draw.random() < 0.5, "instance_type": draw.choice(types),
               "max_runtime": draw.randrange(1, 10 * DAY), "keep_tags": draw.random() < 0.5,
               "from_scratch": True}
    if number > 0:
        changes.update({key: options[key] for key in options if draw.random() < 0.4})
    keys = ["aws:cloudformation:stack-id", "AWS:x", "reeve:retry-of", "reeve:attempt", "team"]
    keys += [f"tag{i}" for i in range(draw.choice([0, 0, 45, 60]))]
    draw.shuffle(keys)
    return {"described": filler.structure(described, always=accepted.required_members),
            "tags": [{"Key": key, "Value": draw.choice(["", "v"])} for key in keys[:MOST_TAGS]],
            "changes": changes}


def faults_in(case, answer, accepted):
    request = answer["request"]
    report = ParamValidator().validate(request, accepted)
    if report.has_errors():
        return report.generate_report()
    wrong = wrong_values(request, accepted)
    if wrong:
        return f"not of its enumeration: {wrong}"
    expected = expected_request(case, accepted)
    if request != expected:
        return f"otherwise: {sorted(changed_paths(expected, request))}"
    before = pruned(case["described"], accepted)
    known = {name: request[name] for name in request if name != "Tags"}
    paths = sorted(changed_paths(before, known))
    told = sorted(line.split(": ")[0] for line in answer["differences"])
    return "" if paths == told else f"tells {told}, not {paths}"


def main():
    program, folder = sys.argv[1:3]
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    model = botocore.session.get_session().get_service_model("sagemaker")
    described = model.operation_model("DescribeTrainingJob").output_shape
    accepted = model.operation_model("CreateTrainingJob").input_shape
    draw = random.Random(11)
    cases = [case_of(i, draw, described, accepted) for i in range(number)]
    asked, answered = os.path.join(folder, "cases"), os.path.join(folder, "requests")
    with open(asked, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases)
    places = {"REEVE_CLONE_IN": asked, "REEVE_CLONE_OUT": answered}
    run = subprocess.run([program, "--gtest_filter=CloneRequest.OfEachCaseInAFile"],
                         env={**os.environ, **places}, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{program}: {run.stdout}{run.stderr}")
    with open(answered, encoding="utf-8") as file:
        answers = [json.loads(line) for line in file]
    if len(answers) != number or number == 0:
        sys.exit(f"{len(answers)} requests for {number} cases")
    wrong = 0
    for case, answer in zip(cases, answers):
        fault = faults_in(case, answer, accepted)
        if fault:
            wrong += 1
            if wrong <= 3:
                print(json.dumps(case), json.dumps(answer), fault, sep="\n")
    if wrong:
        sys.exit(f"{wrong} of {number} requests are wrong")
    members = len(set(described.members) & set(accepted.members))
    print(f"{number} requests with {members} members are right by botocore {botocore.__version__}")


main()

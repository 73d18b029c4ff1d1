"""botocore judges calls of a mock account, with its service models: tests of `reeve live` run it.

    botocore_judge.py CALLS.jsonl SERVICE:OPERATION...

CALLS.jsonl is the log of `reeve mock-aws`. All calls of the named services are judged, and each
named operation must be among them. Without botocore, or with a version that does not know such an
operation, it judges nothing and says so."""
import json
import sys

log, *needed = sys.argv[1:]
needed = {tuple(action.split(":")) for action in needed}
try:
    import botocore.session
    import botocore.validate
except ImportError:
    print("skipped: botocore is not installed")
    sys.exit()
session = botocore.session.Session()
models = {service: session.get_service_model(service) for service, _ in needed}
unknown = [f"{service}:{operation}" for service, operation in sorted(needed)
           if operation not in models[service].operation_names]
if unknown:
    print("skipped: botocore does not know", *unknown)
    sys.exit()
judged = set()
with open(log, encoding="utf-8") as calls:
    for call in map(json.loads, calls):
        service, operation = call["action"].split(":")
        if service not in models:
            continue
        shape = models[service].operation_model(operation).input_shape
        report = botocore.validate.ParamValidator().validate(call["parameters"], shape)
        if report.has_errors():
            sys.exit(f"{operation}: {report.generate_report()}")
        judged.add((service, operation))
if not needed <= judged:
    sys.exit(f"not called: {sorted(needed - judged)}")
print("botocore accepts", ", ".join(sorted(":".join(action) for action in judged)))

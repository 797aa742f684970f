#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Holds YAML files against the JSON Schema of the configuration, as an editor does.

Usage: schema_check.py SCHEMA FILE...   A file of configs/host is held against the property that its name says.
Exit status: 0 all valid; 1 some are not, each fault on a line; 2 the schema itself is no JSON Schema.
"""

import json
import pathlib
import sys

import jsonschema
import yaml


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        print(f"{sys.argv[1]}: {error.message}")
        sys.exit(2)
    faults = 0
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        part = schema
        if path.parent.name == "host":
            part = {"$defs": schema["$defs"], **schema["properties"][path.stem]}
        for error in jsonschema.Draft202012Validator(part).iter_errors(yaml.safe_load(path.read_text())):
            faults += 1
            print(f"{name}: {'.'.join(str(step) for step in error.path)}: {error.message}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Marks functions that are too long since lines are shorter, so that each is found and split:

    python3 long_functions.py ROOT < clippy.json

where clippy.json is `cargo clippy --all-targets --message-format json`. A mark that is no longer needed is a warning.
"""
import json
import os
import sys

REASON = '#[expect(clippy::too_many_lines, reason = "to be split: lines are shorter than when it was written")]'
root = os.path.abspath(sys.argv[1])
marks = {}
for line in sys.stdin:
    try:
        message = json.loads(line).get("message") or {}
    except ValueError:
        continue
    code = (message.get("code") or {}).get("code")
    if code == "clippy::too_many_lines":
        for span in message["spans"]:
            if span["is_primary"]:
                marks.setdefault(span["file_name"], set()).add(span["line_start"])
for name, numbers in sorted(marks.items()):
    path = os.path.join(root, name)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number in sorted(numbers, reverse=True):
        line = lines[number - 1]
        indent = line[: len(line) - len(line.lstrip())]
        if lines[number - 2].strip() != REASON:
            lines.insert(number - 1, indent + REASON)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print(name, sorted(numbers))

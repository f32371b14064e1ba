"""Actions of owners and subscribers on a node, for tests on a cluster."""

import json
import os
import urllib.parse
import urllib.request

from cluster import BASE_URL

TOPIC = "/reviews.json"


def done(node, *words):
    ended = node.reviews(*words)
    assert ended.returncode == 0, (node.number, words, ended.stdout, ended.stderr)
    return ended.stdout


def import_one(node, name):
    path = os.path.join(node.cluster.folder, f"{name}.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"id": name, "rating": 5, "date": "2026-03-04", "author": "Ann B.", "text": f"On time, {name}."}) + "\n")
    return node.reviews("import", path)


def published(node):
    return {review["id"] for review in json.loads(node.get(TOPIC, 30)[2])["reviews"]}


def subscribe(node, receivers):
    form = {"hub.mode": "subscribe", "hub.topic": BASE_URL + TOPIC, "hub.callback": receivers.callback(0)}
    request = urllib.request.Request(node.url + "/api/websub/hub", urllib.parse.urlencode(form).encode())
    with urllib.request.urlopen(request, timeout=8) as answer:
        assert answer.status == 202, answer.status

"""Shared parts of the HTTP benchmarks: generated reviews, servers on free ports, and CPU time of processes per request."""
import itertools
import json
import os
import pathlib
import random
import re
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")
BINARY = str(pathlib.Path(__file__).resolve().parents[2] / "target/dist/reviews")
# A day in the last of the ten years of reviews: about 5 % of them are of this day or newer.
SINCE = "2025-06-01"


def vocabulary(chance):
    """The words of the reviews, the most frequent first."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    return ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(20_000)]


def reviews(count):
    """Reviews of about 480 bytes with Zipf-distributed words over ten years; the same on every machine. Six have `zyxglint`."""
    chance = random.Random(1)
    words = vocabulary(chance)
    # Cumulative weights, which `choices` would otherwise compute for each review.
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    for number in range(count):
        day = f"{2016 + number * 10 // count}-{1 + number % 12:02}-{1 + number % 28:02}"
        text = " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(40, 120)))
        text += " zyxglint" if number % (count // 6 + 1) == 0 else ""
        yield {"id": f"r-{number}", "rating": 5 - (number % 9 == 0), "date": day, "author": "A. B.", "text": text}


def write_rows(path, count):
    with open(path, "w") as out:
        for review in reviews(count):
            out.write(json.dumps(review) + "\n")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url, **headers):
    request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return answer.headers, answer.read()


def within(seconds, what, done):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise SystemExit(f"not within {seconds} s: {what}")
        time.sleep(0.2)


def answers(url):
    try:
        return bool(get(url))
    except OSError:
        return False


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def resident_bytes(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024


def load(url, seconds, connections, script):
    """Requests that wrk finished, and answers other than 2xx or 3xx."""
    said = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "-s", script, url], capture_output=True, text=True, check=True).stdout
    faults = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    return int(re.search(r"(\d+) requests in", said)[1]), int(faults[1]) if faults else 0


def cpu_a_request(folder, url, headers, pids, seconds, connections, body=None):
    """Microseconds of the server's CPU per request. `*` in the URL becomes a different rare word in each request, so no answer is cached."""
    script = folder / "request.lua"
    lines = [f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}" for name, value in headers.items()]
    if body:
        lines += ['wrk.method = "POST"', f"wrk.body = {json.dumps(body)}"]
    if "*" in url:
        words = [word for word in vocabulary(random.Random(1))[2_000:] if len(word) > 5]
        lines += [f"local words, at = {{{json.dumps(words)[1:-1]}}}, 0", "request = function()", "  at = at % #words + 1", '  return wrk.format(nil, (wrk.path:gsub("%*", words[at])))', "end"]
    script.write_text("\n".join(lines))
    before = cpu_seconds(pids)
    requests, faults = load(url, seconds, connections, str(script))
    if faults or not requests:
        raise SystemExit(f"{url}: {requests} requests, {faults} of them refused")
    return (cpu_seconds(pids) - before) / requests * 1e6


def rest(base, pid):
    """Waits until the service at `base` has compressed all documents and is idle."""
    for path in ["/reviews.json", "/api/feed.json", "/insights.json", "/feed.xml"]:
        within(900, f"{path} gzipped", lambda path=path: get(base + path, Accept_Encoding="gzip")[0]["Content-Encoding"] == "gzip")
    # A job may wait for the next run of another.
    quiet, last = 0, cpu_seconds([pid])
    while quiet < 5:
        time.sleep(0.5)
        now = cpu_seconds([pid])
        quiet, last = (quiet + 1 if now - last < 0.05 else 0), now


class Service:
    """Our service with this many newly imported reviews; `use` takes it into use."""

    def __init__(self, folder, binary, count):
        port = free_port()
        self.folder, self.base, self.binary = folder, f"http://127.0.0.1:{port}", binary
        self.settings = os.environ | {"DATABASE_URL": f"sqlite://{folder}/reviews.db", "REVIEWS_LISTEN": f"127.0.0.1:{port}", "REVIEWS_BASE_URL": self.base}
        write_rows(folder / "reviews.jsonl", count)
        # Without a name, the pages say that the service is not set up.
        self.command("init", "--name", "Desert Peak")
        self.command("import", folder / "reviews.jsonl")
        self.process = None

    def command(self, *words, folder=None):
        """Runs a command on the database, or on one in another folder; returns its CPU in seconds."""
        settings = self.settings | ({"DATABASE_URL": f"sqlite://{folder}/reviews.db"} if folder else {})
        with open(os.devnull, "w") as nowhere:
            process = subprocess.Popen([self.binary, *words], env=settings, stdout=nowhere, stderr=subprocess.PIPE)
            said = process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"reviews {' '.join(map(str, words))}: status {status}: {said.decode()}")
        return used.ru_utime + used.ru_stime

    def use(self):
        """Serves until all is analysed, decides on some reviews and edits a part, and serves until that is analysed, too."""
        with self:
            rest(self.base, self.process.pid)
        with sqlite3.connect(self.folder / "reviews.db", timeout=30) as connection:
            connection.executescript("""
                update review set text = text || ' Edited later.' where substr(review_id, 3) % 10 = 3;
                update review set status = 'withheld', withheld_reason = 'private' where substr(review_id, 3) % 20 = 4;
                update review set reply_text = 'Thanks', reply_on = '2026-01-02' where substr(review_id, 3) % 15 = 5;
                delete from review where substr(review_id, 3) % 50 = 6;""")
        connection.close()
        for decision in [("withhold", "r-1", "--reason", "spam"), ("reply", "r-2", "Thanks"), ("anonymize", "r-8"), ("delete", "r-9", "--yes")]:
            self.command(*decision)
        with self:
            rest(self.base, self.process.pid)

    def __enter__(self):
        self.process = subprocess.Popen([self.binary, "serve"], env=self.settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        within(120, "an answer", lambda: answers(self.base + "/healthz"))
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

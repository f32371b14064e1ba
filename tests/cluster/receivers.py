"""Subscribers for tests on a cluster: many callbacks at one HTTPS server, which confirm requests and store deliveries."""

import hashlib
import os
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


def certificate(folder):
    """A certificate for localhost from a test authority; returns the paths of both and of the key."""
    paths = {name: os.path.join(folder, f"{name}.pem") for name in ("ca", "ca_key", "key", "request", "cert", "names")}

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", paths["ca_key"], "-out", paths["ca"], "-days", "30", "-subj", "/CN=test",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
    openssl("req", *curve, "-keyout", paths["key"], "-out", paths["request"], "-subj", "/CN=localhost")
    with open(paths["names"], "w", encoding="ascii") as names:
        names.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", paths["request"], "-CA", paths["ca"], "-CAkey", paths["ca_key"], "-CAcreateserial",
            "-days", "30", "-out", paths["cert"], "-extfile", paths["names"])
    return paths["ca"], paths["cert"], paths["key"]


class Receivers:
    """The callbacks `callback(number)`; `received[number]` has the digests of its deliveries, in order."""

    def __init__(self, folder):
        self.ca, cert, key = certificate(folder)
        self.lock, self.received, self.confirmed = threading.Lock(), {}, {}
        receivers = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body=b""):
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                # No browser may run a challenge (WebSub 8.2).
                self.send_header("content-type", "application/octet-stream")
                self.send_header("x-content-type-options", "nosniff")
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
                number = int(urlsplit(self.path).path.strip("/"))
                with receivers.lock:
                    receivers.confirmed.setdefault(number, []).append(asked.get("hub.mode"))
                self.answer(200, asked.get("hub.challenge", "").encode())

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receivers.lock:
                    digest = hashlib.sha256(body).hexdigest()
                    receivers.received.setdefault(int(self.path.strip("/")), []).append(digest)
                self.answer(204)

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)

        class Server(ThreadingHTTPServer):
            request_queue_size = 256
            daemon_threads = True

            def get_request(self):
                # The connection's own thread makes the handshake.
                socket, address = self.socket.accept()
                return context.wrap_socket(socket, server_side=True, do_handshake_on_connect=False), address

            def handle_error(self, *_):
                pass  # a killed process cuts its connections

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def callback(self, number):
        return f"https://localhost:{self.server.server_address[1]}/{number}"

    def last(self, number):
        with self.lock:
            return (self.received.get(number) or [None])[-1]

    def repeats(self):
        """The number of deliveries with the same content as the one before."""
        with self.lock:
            return sum(a == b for sent in self.received.values() for a, b in zip(sent, sent[1:]))

"""flask-websub 0.4.1 as a subscriber, in one file: python flask_subscriber.py PLAIN_PORT TLS_PORT TOPIC

Discovers the hub, subscribes with a secret, prints what happens, and unsubscribes after the first content whose signature
is right. The topic must be https: with another hub it tells no secret.
"""
import sys
import threading
import time

from flask import Flask
from flask_websub.subscriber import SQLite3SubscriberStorage, SQLite3TempSubscriberStorage, Subscriber, discover
from werkzeug.serving import make_server

plain, tls, topic = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
app = Flask(__name__)
subscriber = Subscriber(SQLite3SubscriberStorage("flask.db"), SQLite3TempSubscriberStorage("flask.db"))
app.register_blueprint(subscriber.build_blueprint(url_prefix="/callbacks"))
verified, got, left = threading.Event(), threading.Event(), threading.Event()


@subscriber.add_success_handler
def on_success(topic_url, callback_id, mode):
    (verified if mode == "subscribe" else left).set()


@subscriber.add_error_handler
def on_error(topic_url, callback_id, reason):
    print("denied:", reason, flush=True)


@subscriber.add_listener
def on_content(topic_url, callback_id, body):
    print(f"content: {len(body)} bytes, rightly signed", flush=True)
    got.set()


def wait(what, event):
    if not event.wait(30):
        sys.exit(f"never: {what}")
    print(what, flush=True)


server = make_server("127.0.0.1", plain, app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
with app.test_request_context(base_url=f"https://127.0.0.1:{tls}"):
    callback_id = subscriber.subscribe(**discover(topic))
    wait("verified", verified)
    print("now change a review", flush=True)
    wait("believed", got)
    subscriber.unsubscribe(callback_id)
    wait("unsubscribed", left)
time.sleep(0.5)  # until its answer is out

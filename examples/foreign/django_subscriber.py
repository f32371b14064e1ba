"""django-push 1.1 as a subscriber, in one file: python django_subscriber.py PLAIN_PORT TLS_PORT TOPIC HUB

Subscribes, prints what happens, and unsubscribes after the first content. django-push signs off on SHA-1 only, and asks for
signatures only where the hub is https; so over http, as here, it takes unsigned content.
"""
import sys
import threading
import time
from wsgiref.simple_server import make_server

import django
from django.conf import settings

plain, tls, topic, hub = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:push?mode=memory&cache=shared"}},
    INSTALLED_APPS=["django_push.subscriber"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    PUSH_DOMAIN=f"127.0.0.1:{tls}",
    PUSH_SSL_CALLBACK=True,
    ROOT_URLCONF=__name__,
    SECRET_KEY="x",
    USE_TZ=True,
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from django_push.subscriber.models import Subscription  # noqa: E402
from django_push.subscriber.signals import updated  # noqa: E402

urlpatterns = [path("push/", include("django_push.subscriber.urls"))]
got = threading.Event()


def on_update(notification, request, links, **_):
    links = {link["rel"]: link["url"] for link in links}
    signature = request.META.get("HTTP_X_HUB_SIGNATURE", "none")
    print(f"content: {len(notification)} bytes, {request.content_type}, links {links}, signature {signature[:7]}", flush=True)
    got.set()


call_command("migrate", verbosity=0, run_syncdb=True)
updated.connect(on_update)
server = make_server("127.0.0.1", plain, get_wsgi_application())
threading.Thread(target=server.serve_forever, daemon=True).start()


def wait(what, is_so):
    for _ in range(200):
        if is_so():
            print(what, flush=True)
            return
        time.sleep(0.1)
    sys.exit(f"never: {what}")


subscription = Subscription.objects.subscribe(topic, hub)
wait("verified", lambda: Subscription.objects.filter(verified=True).exists())
print(f"lease ends {Subscription.objects.get().lease_expiration}; now change a review", flush=True)
if not got.wait(60):
    sys.exit("never: content")
subscription.unsubscribe()
wait("unsubscribed", lambda: not Subscription.objects.exists())

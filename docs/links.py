"""Checks that internal links of a built site lead to existing files and headings. Ignores links to other hosts.

usage: docs/links.py SITE
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


site = Path(sys.argv[1]).resolve()
# print.html repeats all pages with their relative links; 404.html has another base URL.
pages = {path: Page(path) for path in site.rglob("*.html") if path.name not in ("print.html", "404.html", "toc.html")}
broken, count = [], 0
for path, page in sorted(pages.items()):
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        count += 1
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target = target / "index.html"
        if not target.is_file():
            broken.append(f"{path.relative_to(site)}: {link}: no such file")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            broken.append(f"{path.relative_to(site)}: {link}: no such heading")
print(*broken, sep="\n", end="\n" if broken else "")
print(f"{len(pages)} pages, {count} links, {len(broken)} broken")
sys.exit(bool(broken))

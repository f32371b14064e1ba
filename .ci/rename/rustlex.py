"""A small Rust lexer: enough to tell identifiers, strings, comments and doc comments apart."""
import re

_SPEC = [
    ("doc", r"//[/!](?!/)[^\n]*"),
    ("comment", r"//[^\n]*"),
    ("block", r"/\*(?:[^*]|\*(?!/))*\*/"),
    ("rawstr", r"(?:br|cr|r)(?P<h>#*)\"(?:.|\n)*?\"(?P=h)"),
    ("str", r"(?:b|c)?\"(?:\\(?:.|\n)|[^\"\\])*\""),
    ("char", r"b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|.)|[^\\'\n])'"),
    ("lifetime", r"'[A-Za-z_]\w*"),
    ("ident", r"(?:r#)?[A-Za-z_]\w*"),
    ("num", r"\d(?:[\w]|\.(?=\d))*"),
    ("ws", r"\s+"),
    ("punct", r"::|->|=>|\.\.=|\.\.\.|\.\.|."),
]
_RE = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _SPEC))
INSIGNIFICANT = {"ws", "comment", "doc", "block"}


class Token:
    __slots__ = ("kind", "text", "new")

    def __init__(self, kind, text):
        self.kind, self.text, self.new = kind, text, None


def lex(text):
    tokens, at = [], 0
    while at < len(text):
        match = _RE.match(text, at)
        kind = match.lastgroup if match.lastgroup != "h" else "rawstr"
        # `////` is a plain comment, and so is `//` alone
        tokens.append(Token(kind, match.group()))
        at = match.end()
    return tokens

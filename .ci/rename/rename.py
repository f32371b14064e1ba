#!/usr/bin/env python3
"""Renames the code base to the standard terms of its field (issue 10, item 1).

    python3 rename.py ROOT [--report] [--no-fmt]

ROOT is a checkout of any descendant of 4758e52. Deterministic and idempotent; what a tree does not have is skipped
(--report lists the rules that found nothing). The tables are in rules.py; this file applies them:

1. MOVES: files and folders, by `git mv`; module names follow from them.
2. ITEMS: types, functions, constants by the path at which they are defined; every use is resolved through imports and
   re-exports, so that two types of one name are told apart. MEMBERS: functions and variants of a type likewise.
3. WORDS: identifiers that are not resolvable by name (fields, methods, locals), by file.
4. STEMS: parts of snake_case identifiers between underscores, by file.
5. PROSE: regular expressions over comments and documents. TEXTS: exact replacements in named files.
6. rustfmt's defaults, then `cargo fmt`.

An outstanding branch: merge the last commit of main before the rename into it, run this script there, commit; then merge
the renamed main with `-X ours`: what differs from main is the branch's own change.
"""
import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layout
import rules
from resolve import ImplType, World
from rustlex import INSIGNIFICANT

USED = set()


def match(path, globs):
    """Whether a path is meant by these globs; `!` excludes, and the last that matches decides."""
    meant = False
    for glob in globs.split():
        if glob.startswith("!"):
            if fnmatch.fnmatch(path, glob[1:]):
                meant = False
        elif fnmatch.fnmatch(path, glob):
            meant = True
    return meant


def moved(path):
    """Where a file goes: the longest move that begins its path."""
    for old, new in sorted(rules.MOVES.items(), key=lambda move: -len(move[0])):
        if path == old or path.startswith(old + "/"):
            return parts_moved(new + path[len(old):])
    return parts_moved(path)


def parts_moved(path):
    """Files of ours whose names have a part that means something else now."""
    if not re.match(r"(src|tests/it|benches|examples)/.*\.rs$", path):
        return path
    return re.sub(r"(?<![a-z])(edition|editions|shelf|outermost)(?![a-z])", lambda found: rules.FILE_PARTS[found.group()], path)


def listed(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, check=True)
    return sorted(path for path in out.stdout.decode().split("\0") if path and os.path.isfile(os.path.join(root, path)))


def module_path(path):
    """The module that a file is, as `lib::snapshot::publisher`; None where it is none."""
    for folder, crate in (("src", "lib"), ("tests/it", "it"), ("benches", "benches"), ("examples", "examples")):
        if path.startswith(folder + "/") and path.endswith(".rs"):
            parts = path[len(folder) + 1:-3].split("/")
            if parts[-1] in ("mod", "main", "lib"):
                parts.pop()
            return "::".join([crate] + parts)
    return None


def case_like(word, new):
    if word[:1].isupper() and not (len(word) > 1 and word.isupper()):
        return new[:1].upper() + new[1:]
    return new


class Renamer:
    def __init__(self, root):
        self.root = root
        self.world = World(root)
        self.modules = {}
        for source in self.world.sources:
            old, new = module_path(source.path), module_path(moved(source.path))
            if old and new and old.split("::")[-1] != new.split("::")[-1]:
                self.modules[old] = new.split("::")[-1]
        self.stems = [(globs, words) for globs, words in rules.STEMS]
        count = {}
        for source in self.world.sources:
            for name in source.methods:
                count[name] = count.get(name, 0) + 1
        self.methods = {}
        for key, new in rules.MEMBERS.items():
            old = key.split("::")[-1]
            if self.world.resolve(self.world.crates["lib"], key.split("::")[1:-1]) is None:
                continue
            if old.islower() and count.get(old, 0) == 1:
                self.methods[old] = new
        self.shorts = {}
        for source in self.world.sources:
            self.shorts[source.path] = self._context(source.path)

    # -- tables for one file ---------------------------------------------------------------------------------------
    def _context(self, path):
        words, dotted, stems = {}, {}, {}
        for globs, table in rules.WORDS:
            if match(path, globs):
                for old, new in table.items():
                    if old.startswith("."):
                        dotted[old[1:]] = new
                    else:
                        words[old] = new
        for globs, table in self.stems:
            if match(path, globs):
                stems.update(table)
        stems = {old: new for old, new in stems.items() if new}
        words = {old: new for old, new in words.items() if new}
        dotted = {old: new for old, new in dotted.items() if new}
        return words, dotted, stems

    def key(self, node):
        """The path under which the tables know an item: its own, or where it was before it moved within its room."""
        key = "::".join(node.path)
        if node.kind == "mod" or key in rules.ITEMS:
            return key
        if not hasattr(self, "_rooms"):
            self._rooms = {}
            for known in set(rules.ITEMS) | {member.rsplit("::", 1)[0] for member in rules.MEMBERS}:
                parts = known.split("::")
                if parts[-1][:1].isupper() and self.world.resolve(self.world.crates.get(parts[0]), parts[1:]) is None:
                    self._rooms.setdefault((parts[0], parts[1], parts[-1]), []).append(known)
        found = self._rooms.get((node.path[0], node.path[1], node.name), [])
        return found[0] if len(found) == 1 else key

    def item(self, node):
        """The new name of a module or an item."""
        key = self.key(node)
        if key in rules.ITEMS:
            USED.add(("ITEMS", key))
            return rules.ITEMS[key]
        if node.kind == "mod":
            return self.modules.get(key)
        return None

    def stem(self, word, context):
        words, _, stems = context
        if word in words:
            USED.add(("WORDS", word))
            return words[word]
        if not stems or word.startswith("r#"):
            return word
        if word.isupper() or re.fullmatch(r"[A-Z0-9_]+", word):
            lower, back = word.lower(), str.upper
        elif re.fullmatch(r"[a-z0-9_]+", word):
            lower, back = word, str
        else:
            # a type of ours without a rule of its own
            return re.sub(r"(Edition|Shelf|Outermost)(?![a-z])", lambda found: rules.TYPE_PARTS[found.group()], word)
        parts = lower.split("_")
        changed, index = [], 0
        while index < len(parts):
            for length in (3, 2, 1):
                joined = "_".join(parts[index:index + length])
                if len(parts) >= index + length and joined in stems:
                    changed.append(stems[joined])
                    USED.add(("STEMS", joined))
                    # English: "an edition" becomes "a snapshot"
                    if len(changed) > 1 and changed[-2] in ("a", "an") and changed[-1]:
                        changed[-2] = "an" if changed[-1][0] in "aeiou" else "a"
                    index += length
                    break
            else:
                changed.append(parts[index])
                index += 1
        return back("_".join(changed))

    # -- Rust ------------------------------------------------------------------------------------------------------
    def rust(self, source):
        tokens, code = source.tokens, source.code
        context = self.shorts[source.path]
        texts = [tokens[index].text for index in code]
        done = set()
        derive_until = -1
        whole = "".join(token.text for token in tokens)
        locals_ = set(re.findall(r"\blet (?:mut )?(\w+)", whole)) | set(re.findall(r"\b(\w+):(?!:)", whole))
        locals_ |= set(re.findall(r"\|(?:mut |&)?(\w+)\|", whole))

        def put(at, new):
            if new is not None and new != tokens[code[at]].text:
                tokens[code[at]].new = new
            done.add(at)

        # use trees
        at = 0
        while at < len(code):
            if source.level[at] == "use" and texts[at] == "use":
                at = self._use(source, at, texts, put)
            else:
                at += 1
        at = -1
        while at + 1 < len(code):
            at += 1
            token = tokens[code[at]]
            text = token.text
            if text == "derive" and texts[at + 1] == "(" and texts[at - 1] == "[":
                depth, end = 0, at + 1
                while True:
                    depth += {"(": 1, ")": -1}.get(texts[end], 0)
                    if depth == 0:
                        break
                    end += 1
                derive_until = end
            if token.kind != "ident" or at in done or at <= derive_until:
                continue
            before = texts[at - 1] if at else ""
            following = texts[at + 1] if at + 1 < len(code) else ""
            module = source.scope[at]
            owner = source.owner[at]
            if before == ".":
                words, dotted, _ = context
                if text + "(" in dotted and following == "(":
                    put(at, dotted[text + "("])
                elif text in dotted:
                    USED.add(("WORDS", "." + text))
                    put(at, dotted[text])
                elif text in self.methods and following in ("(", "::"):
                    put(at, self.methods[text])
                else:
                    put(at, self.stem(text, context))
                continue
            if before == "::" and at >= 2 and tokens[code[at - 2]].kind == "ident":
                continue
            # a path: ident (:: ident)*
            end = at
            while end + 2 < len(code) and texts[end + 1] == "::" and tokens[code[end + 2]].kind == "ident":
                end += 2
            segments = list(range(at, end + 1, 2))
            if len(segments) > 1 and before != "::":
                self._path(source, segments, texts, put, module, owner, context)
                continue
            # definitions
            if before in ("struct", "enum", "trait", "type", "fn", "const", "static", "union", "mod") or (before == "!" and texts[at - 2] == "macro_rules"):
                if source.level[at] in ("impl", "trait") and owner is not None and before in ("fn", "const", "type"):
                    new = self._member(source, module, owner, text)
                    put(at, new or context[1].get(text) or self.stem(text, context))
                    continue
                node = module.children.get(text)
                new = node and self.item(node)
                put(at, new or (text if before == "mod" else self.stem(text, context)))
                continue
            if source.level[at] == "enum" and source.depth[at] == 0 and before in ("{", ",", "]") and text[:1].isupper():
                new = owner is not None and self._member(source, module, owner, text)
                put(at, new or text)
                continue
            if source.level[at] == "struct" and source.depth[at] == 0 and following == ":" and text in context[1]:
                put(at, context[1][text])
                continue
            if text == "Self":
                continue
            # a single name: types and constants; functions where they are called or handed on
            node = None
            if text[:1].isupper() and not (following == "=" and before in ("<", ",")):
                node = self.world.find(module, text)
            elif following == "(" or following == "!":
                node = self.world.find(module, text)
                if node is not None and node.kind == "mod":
                    node = None
            elif before in ("(", ",") and following in (")", ","):
                node = self.world.find(module, text)
                if node is not None and (node.kind != "fn" or text in locals_):
                    node = None
            new = node and self.item(node)
            if new:
                put(at, new)
            elif node is not None and node.kind in ("fn", "item"):
                put(at, self._defined(node, text, context))
            else:
                put(at, self.stem(text, context))
        for index, token in enumerate(tokens):
            if token.kind in ("doc", "comment", "block"):
                token.new = self.comment(token.text, source, context)
            elif token.kind in ("str", "rawstr"):
                token.new = self.string(token.text, source, context)
        return "".join(token.new if token.new is not None else token.text for token in tokens)

    def _defined(self, node, text, context):
        """An item without a rule of its own follows the stems of the file that defines it."""
        path = self.file_of(node)
        return self.stem(text, self.shorts.get(path, context) if path else context)

    def file_of(self, node):
        module = node
        while module is not None:
            for source in self._by_module().get(id(module), ()):
                return source.path
            module = module.parent
        return None

    def _by_module(self):
        if not hasattr(self, "_modules"):
            self._modules = {}
            for source in self.world.sources:
                self._modules.setdefault(id(source.module), []).append(source)
        return self._modules

    def _member(self, source, module, owner, name):
        node = self._owner_node(module, owner)
        if node is None:
            return None
        key = self.key(node) + "::" + name
        if key in rules.MEMBERS:
            USED.add(("MEMBERS", key))
            return rules.MEMBERS[key]
        return None

    def _owner_node(self, module, owner):
        if isinstance(owner, ImplType):
            return self.world.resolve(module, owner.words) if owner.words else None
        return owner

    def _path(self, source, segments, texts, put, module, owner, context):
        node = None
        for number, at in enumerate(segments):
            text = texts[at]
            if number == 0:
                if text == "Self":
                    node = self._owner_node(module, owner) if owner is not None else None
                    put(at, text)
                    continue
                node = self.world.start(module, text)
                new = node and text not in ("crate", "self", "super", "reviews_service") and self.item(node)
                put(at, new or (text if node is not None or text[:1].isupper() else self.stem(text, context)))
                continue
            if node is None:
                put(at, text)
                continue
            if text in ("super", "self"):
                node = node.parent if text == "super" else node
                put(at, text)
                continue
            found = self.world.find(node, text)
            if found is not None:
                new = self.item(found)
                is_last = number == len(segments) - 1
                put(at, new or (self._defined(found, text, context) if found.kind != "mod" else text))
                node = found
                continue
            if node.kind != "mod":
                key = self.key(node) + "::" + text
                if key in rules.MEMBERS:
                    USED.add(("MEMBERS", key))
                    put(at, rules.MEMBERS[key])
                else:
                    path = self.file_of(node)
                    words, dotted, _ = self.shorts.get(path, context)
                    put(at, dotted[text] if text in dotted else self.stem(text, self.shorts.get(path, context)))
            else:
                put(at, text)
            node = None

    def _use(self, source, at, texts, put):
        end = at
        while texts[end] != ";":
            end += 1
        module = source.scope[at]
        kinds = source.tokens
        context = self.shorts[source.path]

        def tree(index, node, is_first):
            while index < end:
                text = texts[index]
                if text == "{":
                    index += 1
                    while texts[index] != "}":
                        index = tree(index, node, is_first)
                        if texts[index] == ",":
                            index += 1
                    return index + 1
                if text == "::":
                    index += 1
                    continue
                if text == "as":
                    put(index, text)
                    put(index + 1, texts[index + 1])
                    return index + 2
                if text in (",", "}", ";", "*"):
                    return index + (text == "*")
                if is_first:
                    node = self.world.start(module, text)
                    is_first = False
                elif text == "super":
                    node = node and node.parent
                elif text != "self":
                    node = node and self.world.find(node, text)
                new = node and text not in ("crate", "self", "super", "reviews_service") and self.item(node)
                if not new and node is not None and node.kind != "mod":
                    new = self._defined(node, text, context)
                put(index, new or text)
                index += 1
            return index

        tree(at + 1, None, True)
        put(at, "use")
        return end + 1

    # -- text ------------------------------------------------------------------------------------------------------
    def string(self, text, source, context):
        """Captured identifiers of format strings; table and column names by TEXTS."""
        if not source.path.startswith(("src/wire/", "src/http/", "src/cli/", "src/config")):
            text = strings(text)
        if "{" not in text:
            return text

        def capture(found):
            return found.group(1) + self.stem(found.group(2), context) + found.group(3)

        return re.sub(r"((?<!\{)\{)([a-z_][a-z0-9_]*)([:}])", capture, text)

    def comment(self, text, source, context):
        def code(found):
            inner = found.group(1)
            return "`" + self.code_in_text(inner, source, context) + "`"

        parts = re.split(r"(`[^`\n]*`)", text)
        for index, part in enumerate(parts):
            if part.startswith("`") and part.endswith("`") and len(part) > 2:
                parts[index] = "`" + self.code_in_text(part[1:-1], source, context) + "`"
            else:
                parts[index] = prose(part, source.path)
        return "".join(parts)

    def code_in_text(self, inner, source, context):
        found = re.fullmatch(r"((?:\w+::)*\w+)((?:\(.*\))?!?)", inner)
        if not found:
            return inner
        names = found.group(1).split("::")
        module = source.module if source else self.world.crates["lib"]
        out, node = [], None
        for number, name in enumerate(names):
            if number == 0:
                if name == "Self":
                    return inner if len(names) == 1 else "Self::" + self.stem(names[1], context)
                node = self.world.start(module, name)
                if node is None and source is None:
                    node = self.unique(name, names[1] if len(names) > 1 else None)
            else:
                parent, node = node, (node and self.world.find(node, name))
                if parent is not None and node is None and parent.kind != "mod":
                    key = "::".join(parent.path) + "::" + name
                    path = self.file_of(parent)
                    mine = self.shorts.get(path, context)
                    out.append(rules.MEMBERS.get(key) or mine[1].get(name) or self.stem(name, mine))
                    continue
            if node is None or name in ("crate", "super", "self", "reviews_service"):
                out.append(self.stem(name, context) if context and number == 0 else name)
            elif len(names) == 1 and not name[:1].isupper() and node.kind == "mod":
                out.append(self.item(node) or name if source is None else self.stem(name, context))
            else:
                out.append(self.item(node) or (self._defined(node, name, context) if node.kind != "mod" and context else name))
        return "::".join(out) + found.group(2)

    def unique(self, name, member=None):
        """The one item of the library that is called so, for documents that name types without a path."""
        if not hasattr(self, "_unique"):
            self._unique = {}
            stack = [self.world.crates["lib"]]
            while stack:
                node = stack.pop()
                for child in node.children.values():
                    stack.append(child)
                    self._unique.setdefault(child.name, []).append(child)
        found = self._unique.get(name, [])
        if len(found) == 1:
            return found[0]
        owners = [node for node in found if "::".join(node.path) + f"::{member}" in rules.MEMBERS]
        if len(owners) == 1:
            return owners[0]
        renamed = {self.item(node) for node in found}
        return found[0] if found and len(renamed) == 1 else None

    def document(self, text, path):
        parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.S)
        empty = ({}, {}, {})
        for index, part in enumerate(parts):
            if part.startswith("```"):
                continue
            if part.startswith("`") and part.endswith("`") and len(part) > 2:
                parts[index] = "`" + self.code_in_document(part[1:-1]) + "`"
            else:
                parts[index] = prose(part, path)
        return "".join(parts)

    def code_in_document(self, inner):
        if re.fullmatch(r"(?:\w+::)*\w+(?:\(\))?", inner):
            if "_" in inner and "::" not in inner and inner in self.tests():
                return self.tests()[inner]
            parts = inner.split("::")
            if "::" in inner:
                # a test, as `websub::kept::name`
                test = self.test_path(parts)
                if test:
                    return test
            return self.code_in_text(inner, None, ({}, {}, {}))
        # a module written as a path: `mcp/offer/tools::Kind`, `src/edition`
        found = re.fullmatch(r"((?:src/|tests/it/)?)([\w/]+?)((?:/|\.rs|::\w+)?)", inner)
        if found and "/" in inner:
            prefix = found.group(1) or "src/"
            path = prefix + found.group(2)
            for candidate in (path, path + ".rs"):
                if moved(candidate) != candidate:
                    new = moved(candidate)
                    new = new[:-3] if candidate.endswith(".rs") and new.endswith(".rs") else new
                    new = re.sub(r"/mod$", "", new)
                    tail = found.group(3)
                    if tail.startswith("::"):
                        node = self.world.resolve(self.world.crates["lib"], found.group(2).split("/") + [tail[2:]])
                        tail = "::" + (node and self.item(node) or tail[2:])
                    return (new if found.group(1) else new.removeprefix("src/")) + tail
        return inner

    def tests(self):
        """Functions of tests whose names change by stems."""
        if not hasattr(self, "_tests"):
            self._tests = {}
            for source in self.world.sources:
                for name, node in source.module.children.items():
                    self._add_test(name, node, source)
                    for inner, child in node.children.items():
                        self._add_test(inner, child, source)
        return self._tests

    def _add_test(self, name, node, source):
        if node.kind == "fn" and name.count("_") >= 3:
            new = self.item(node) or self.stem(name, self.shorts[source.path])
            self._tests[name] = new

    def test_path(self, parts):
        node = self.world.resolve(self.world.crates["it"], parts)
        if node is None:
            return None
        return self.new_path(node)

    def new_path(self, node):
        names = []
        while node.parent is not None:
            if node.kind == "mod":
                key = "::".join(node.path)
                path = self.file_of(node)
                if path and module_path(path) == key:
                    return "::".join(module_path(moved(path)).split("::")[1:] + names)
                names.insert(0, node.name)
            else:
                path = self.file_of(node)
                names.insert(0, self.item(node) or self.stem(node.name, self.shorts.get(path, ({}, {}, {}))))
            node = node.parent
        return "::".join(names)


def strings(text):
    """Words in messages; event and metric names have a point or an underscore beside the word."""
    for pattern, new in rules.STRINGS_COMPILED:
        text = pattern.sub(new, text)
    return text


def prose(text, path):
    for globs, table in rules.PROSE_COMPILED:
        if match(path, globs):
            for pattern, new in table:
                changed = pattern.sub(lambda found, new=new: case_like(found.group(), found.expand(new)), text)
                if changed != text:
                    USED.add(("PROSE", pattern.pattern))
                    text = changed
    return text


def queries(root):
    """`.sqlx` of the queries whose tables have other names now: the file is called by the digest of its query."""
    folder = os.path.join(root, ".sqlx")
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            entry = json.load(file)
        text = json.dumps(entry)
        for old, new in rules.TABLES.items():
            text = re.sub(rf"\b{old}\b", new, text)
        changed = json.loads(text)
        if changed == entry:
            continue
        changed["hash"] = hashlib.sha256(changed["query"].encode()).hexdigest()
        new = os.path.join(folder, f"query-{changed['hash']}.json")
        subprocess.run(["git", "-C", root, "mv", path, new], check=True)
        with open(new, "w", encoding="utf-8") as file:
            json.dump(changed, file, indent=2, ensure_ascii=False)


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    options = {argument for argument in sys.argv[1:] if argument.startswith("--")}
    if len(arguments) != 1:
        sys.exit(__doc__)
    root = os.path.abspath(arguments[0])
    renamer = Renamer(root)
    paths = listed(root)
    written = {}
    by_path = {source.path: source for source in renamer.world.sources}
    for path in paths:
        full = os.path.join(root, path)
        if path in by_path:
            text = "".join(token.text for token in by_path[path].tokens)
            new = renamer.rust(by_path[path])
        elif match(path, rules.DOCUMENTS):
            with open(full, encoding="utf-8") as file:
                text = file.read()
            new = renamer.document(text, path)
        elif match(path, rules.COMMENTED):
            with open(full, encoding="utf-8") as file:
                text = file.read()
            new = "".join(prose(line, path) if line.lstrip().startswith(("#", "--")) else line for line in text.splitlines(True))
        elif path.endswith(".snap") or any(match(path, globs) for globs, _ in rules.TEXTS):
            with open(full, encoding="utf-8") as file:
                text = file.read()
            new = text
        else:
            continue
        if path.endswith(".snap"):
            new = re.sub(r"(?m)^source: (.*)$", lambda found: "source: " + moved(found.group(1)), new, count=1)
        for globs, table in rules.TEXTS:
            if match(path, globs):
                for old, replacement in table:
                    is_new = isinstance(old, str)
                    changed = new.replace(old, replacement) if is_new else old.sub(replacement, new)
                    if is_new and replacement and old in replacement and replacement in new:
                        changed = new
                    if changed != new:
                        USED.add(("TEXTS", str(old)))
                    new = changed
        if new != text:
            written[path] = new
    for path, text in written.items():
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
    for path in paths:
        new = moved(path)
        new = rules.snapshot_path(new)
        if new == path:
            continue
        if os.path.exists(os.path.join(root, new)):
            print(f"not moved, for it is there already: {path} -> {new}")
            continue
        os.makedirs(os.path.dirname(os.path.join(root, new)), exist_ok=True)
        if subprocess.run(["git", "-C", root, "mv", path, new], capture_output=True).returncode:
            os.rename(os.path.join(root, path), os.path.join(root, new))
    queries(root)
    for path, text in rules.NEW_FILES.items():
        full = os.path.join(root, path)
        if not os.path.exists(full):
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run(["git", "-C", root, "add", path], check=False)
    for path in rules.REMOVED:
        if os.path.exists(os.path.join(root, path)):
            subprocess.run(["git", "-C", root, "rm", "-q", "-f", path], check=False)
    print(f"{len(written)} files changed")
    if "--report" in options:
        for kind, keys in (("ITEMS", rules.ITEMS), ("MEMBERS", rules.MEMBERS)):
            for key in keys:
                if (kind, key) not in USED:
                    print(f"found nothing: {kind} {key}")
        for old in rules.MOVES:
            if not any(path == old or path.startswith(old + "/") for path in paths):
                print(f"found nothing: MOVES {old}")
    if "--no-fmt" not in options:
        subprocess.run(["cargo", "fmt"], cwd=root, check=False)
        layout.rewrap(root, listed(root))
        layout.list_long(root, listed(root))
        subprocess.run(["cargo", "fmt"], cwd=root, check=False)


if __name__ == "__main__":
    main()

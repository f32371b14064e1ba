"""Modules, items and imports of the crates of one tree, resolved by name: enough to tell two types of one name apart."""
import os

from rustlex import INSIGNIFICANT, lex

ITEMS = {"struct", "enum", "trait", "type", "fn", "const", "static", "union", "mod", "macro_rules"}


class Node:
    """A module or an item, by the path it has today."""

    def __init__(self, name, parent, kind):
        self.name, self.parent, self.kind = name, parent, kind
        self.children, self.imports, self.globs, self.members = {}, {}, [], set()

    @property
    def path(self):
        return (self.parent.path + (self.name,)) if self.parent else (self.name,)

    def module(self):
        node = self
        while node.kind != "mod":
            node = node.parent
        return node

    def root(self):
        node = self
        while node.parent:
            node = node.parent
        return node


class Source:
    def __init__(self, path, text, module):
        self.path, self.module = path, module
        self.tokens = lex(text)
        self.code = [index for index, token in enumerate(self.tokens) if token.kind not in INSIGNIFICANT]
        # per significant token: the innermost module node and the type of the innermost impl, trait or enum
        self.scope = [None] * len(self.code)
        self.owner = [None] * len(self.code)
        self.level = [""] * len(self.code)
        self.methods = []
        # how many brackets are open since the innermost brace
        self.depth = [0] * len(self.code)


class World:
    """All crates of a tree. The library is `crate`; tests, benches and examples are crates of their own."""

    def __init__(self, root):
        self.root, self.sources = root, []
        self.crates = {name: Node(name, None, "mod") for name in ("lib", "it", "benches", "examples", "tests")}
        for folder, crate in (("src", "lib"), ("tests/it", "it"), ("benches", "benches"), ("examples", "examples")):
            self._walk(folder, crate)
        for source in self.sources:
            _collect(source)

    def _walk(self, folder, crate):
        for base, folders, files in os.walk(os.path.join(self.root, folder)):
            folders.sort()
            for name in sorted(files):
                if not name.endswith(".rs"):
                    continue
                path = os.path.relpath(os.path.join(base, name), self.root)
                with open(os.path.join(self.root, path), encoding="utf-8") as file:
                    text = file.read()
                parts = os.path.relpath(path, folder)[:-3].split(os.sep)
                if parts[-1] in ("mod", "main", "lib"):
                    parts.pop()
                self.sources.append(Source(path, text, self._module(self.crates[crate], parts)))

    @staticmethod
    def _module(node, parts):
        for part in parts:
            if part not in node.children:
                node.children[part] = Node(part, node, "mod")
            node = node.children[part]
        return node

    def find(self, module, name, seen=None, quiet=False):
        """What `name` is inside of `module`: a node, or None."""
        seen = seen or set()
        if (id(module), name) in seen:
            return None
        seen.add((id(module), name))
        if name in module.children:
            return module.children[name]
        if module.kind != "mod":
            return None
        for path in module.imports.get(name, ()):
            found = self.resolve(module, path, seen)
            if found:
                return found
        # benches and examples declare the shared folder in each of their roots
        root = module.root()
        if root.name in ("benches", "examples") and name in root.children and name in ("support", module.name):
            return root.children[name]
        for path in module.globs:
            base = self.resolve(module, path, seen)
            found = base and self.find(base, name, seen)
            if found:
                return found
        return None

    def start(self, module, name, seen=None):
        if name == "crate" or name == "$crate":
            root = module.root()
            return root
        if name == "self":
            return module
        if name == "super":
            return module.parent
        if name == "reviews_service":
            return self.crates["lib"]
        return self.find(module, name, seen)

    def resolve(self, module, path, seen=None):
        node = self.start(module, path[0], seen)
        for name in path[1:]:
            if node is None:
                return None
            node = node.parent if name == "super" else (node if name == "self" else self.find(node, name, seen))
        return node


def _collect(source):
    """Fills the module's items and imports, and the scope of each significant token."""
    tokens, code = source.tokens, source.code
    text = [tokens[index].text for index in code]
    kind = [tokens[index].kind for index in code]
    # entries: (kind, module node, owner node)
    stack = [("mod", source.module, None)]
    pending = None
    at = 0
    paren = 0
    depths = [0]
    while at < len(code):
        level, module, owner = stack[-1]
        source.depth[at] = depths[-1]
        source.scope[at], source.owner[at], source.level[at] = module, owner, level
        word = text[at]
        if kind[at] == "ident":
            following = text[at + 1] if at + 1 < len(code) else ""
            before = text[at - 1] if at else ""
            is_name = at + 1 < len(code) and kind[at + 1] == "ident"
            if word == "use" and before != "." and pending is None:
                at = _use(source, at, module, text, kind, stack[-1])
                continue
            if word == "macro_rules" and following == "!":
                module.children.setdefault(text[at + 2], Node(text[at + 2], module, "item"))
            elif word in ITEMS and is_name and before not in (".", "::") and not (word == "type" and before == "r#"):
                name = text[at + 1]
                if word == "const" and name in ("fn", "unsafe", "async", "_", "mut"):
                    pass
                elif word == "mod":
                    if text[at + 2] == "{":
                        child = module.children.get(name) or Node(name, module, "mod")
                        module.children[name] = child
                        pending = ("mod", child, None)
                elif level in ("impl", "trait"):
                    if word == "fn":
                        source.methods.append(name)
                    if owner is not None:
                        owner.members.add(name)
                    if word == "fn":
                        pending = ("fn", module, owner)
                else:
                    node = module.children.get(name)
                    if node is None or node.kind == "mod":
                        node = module.children[name] = Node(name, module, "fn" if word == "fn" else "item") if node is None else node
                    if word == "fn":
                        pending = ("fn", module, owner)
                    elif word in ("enum", "struct", "trait", "union"):
                        pending = (word, module, node)
            elif word == "impl" and level in ("mod", "fn", "other") and pending is None and before not in ("->", ":", "(", ",", "<", "&", "=", "+", "dyn"):
                pending = ("impl", module, _impl_type(text, kind, at))
        elif word == "{":
            depths.append(0)
            stack.append(pending if pending and paren == 0 else ("other", module, owner))
            if pending and paren == 0:
                pending = None
        elif word == "}":
            if len(stack) > 1:
                stack.pop()
                depths.pop()
        elif word in ("(", "["):
            depths[-1] += 1
            paren += 1 if pending else 0
        elif word in (")", "]"):
            depths[-1] -= 1
            paren -= 1 if pending and paren else 0
        elif word == ";" and paren == 0:
            pending = None
        at += 1


def _impl_type(text, kind, at):
    """The path of the type that an impl is for, as words; resolved later."""
    depth, start, words = 0, at + 1, []
    end = at
    while text[end] != "{":
        end += 1
    begin = start
    index = start
    while index < end:
        if text[index] == "<":
            depth += 1
        elif text[index] == ">":
            depth -= 1
        elif text[index] == "for" and depth == 0 and text[index + 1] != "<":
            begin = index + 1
        elif text[index] == "where" and depth == 0:
            break
        index += 1
    index = begin
    if text[index] == "<":
        depth = 0
        while True:
            depth += {"<": 1, ">": -1}.get(text[index], 0)
            index += 1
            if depth == 0:
                break
    while text[index] in ("&", "mut", "dyn") or kind[index] == "lifetime":
        index += 1
    while index < end and (kind[index] == "ident" or text[index] == "::"):
        if kind[index] == "ident":
            words.append(text[index])
        index += 1
    return ImplType(words)


class ImplType:
    """A type named by an impl's head; `members` are not kept."""

    def __init__(self, words):
        self.words, self.members = words, set()


def _use(source, at, module, text, kind, entry):
    """Reads one use statement from `use`; returns the index behind its semicolon."""
    level, module, owner = entry
    end = at
    while text[end] != ";":
        source.scope[end], source.owner[end], source.level[end] = module, owner, "use"
        end += 1
    source.scope[end], source.owner[end], source.level[end] = module, owner, "use"

    def tree(index, prefix):
        path = list(prefix)
        while index < end:
            word = text[index]
            if word == "{":
                index += 1
                while text[index] != "}":
                    index = tree(index, path)
                    if text[index] == ",":
                        index += 1
                return index + 1
            if word == "*":
                module.globs.append(path)
                return index + 1
            if word == "::":
                index += 1
                continue
            if word == "as":
                module.imports.setdefault(text[index + 1], []).append(path)
                return index + 2
            if word in (",", "}", ";"):
                break
            path.append(word)
            index += 1
        name = path[-1] if path[-1] != "self" else path[-2]
        target = path if path[-1] != "self" else path[:-1]
        if target and name not in ("crate", "super"):
            module.imports.setdefault(name, []).append(target)
        return index

    tree(at + 1, [])
    return end + 1

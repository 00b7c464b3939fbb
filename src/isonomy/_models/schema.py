"""The schema of a model file: skops' tree of nodes, as skops reads it.

A node is a JSON object that names a *loader* (how to build), a type (what to build), and its
children. An object that occurs again is a reference to the node where it occurred first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from isonomy._models.model_file_error import ModelFileError

State = dict[str, Any]

# skops numbers its format; this is the one that is understood here.
PROTOCOL = 2
REFERENCE = "CachedNode"
# What a schema may grow to, references written out: so many times its nodes, and what any may.
MOST_GROWTH, SMALL = 40, 10_000
# Levels of nodes. skops needs some five of Python's thousand frames for each.
MOST_LEVELS = 100

_COMMON = frozenset({"__loader__", "__module__", "__class__"})
_FIELDS = {
    REFERENCE: set(),
    "JsonNode": {"content", "is_json"},
    "DictNode": {"content", "key_types"},
    "ListNode": {"content"},
    "SetNode": {"content"},
    "TupleNode": {"content"},
    "SliceNode": {"content"},
    "BytesNode": {"file"},
    "TypeNode": set(),
    "FunctionNode": set(),
    "NdArrayNode": {"type", "file"},
    "MaskedArrayNode": {"content"},
    "DTypeNode": {"content"},
    "RandomStateNode": {"content"},
    "RandomGeneratorNode": {"content"},
    "SparseMatrixNode": {"type", "file"},
    "ObjectNode": {"content"},
    "LossNode": {"content", "__reduce__"},
    "TreeNode": {"content", "__reduce__"},
}
_OBJECT_ARRAY = {"type", "content", "shape"}


@dataclass(eq=False, slots=True)
class Node:
    """One node, its place in the tree, and its children (for a reference: those it refers to).

    Attributes
    ----------
    width : int
        Features that the decision trees in it need.
    size : int
        Nodes in it, references written out.
    """

    state: State
    parent: Node | None
    label: str
    level: int
    children: list[Node] = field(default_factory=list)
    width: int = 0
    size: int = 1
    complete: bool = False

    @property
    def loader(self) -> str:
        return str(self.state["__loader__"])

    @property
    def module(self) -> str:
        return str(self.state["__module__"])

    @property
    def name(self) -> str:
        return str(self.state["__class__"])

    @property
    def type(self) -> str:
        return f"{self.module}.{self.name}"

    def path(self) -> str:
        """Where the node is, in Python's words: `LinearRanker.objective.how`."""
        parts: list[str] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            above = node.parent.parent
            attribute = above is not None and above.loader == "ObjectNode"
            parts.append(node.label and (f".{node.label}" if attribute else f"[{node.label}]"))
            node = node.parent
            if attribute:
                node = above
        return (node.name if node else "") + "".join(reversed(parts))

    def attributes(self) -> dict[str, Node]:
        """Of an object: its attributes; of a dictionary: its values by the text of their keys."""
        table = self.children[0] if self.loader == "ObjectNode" and self.children else self
        if table.loader != "DictNode":
            return {}
        return dict(zip(table.state["content"], table.children[1:], strict=True))

    def scalar(self) -> Any:
        """The number, text, bool or None of a JSON node; `self` of any other."""
        return json.loads(self.state["content"]) if self.loader == "JsonNode" else self


def parse(text: memoryview | bytes) -> State:
    """JSON as an object."""
    try:
        found = json.loads(bytes(text))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(
            f"Its text is no JSON that can be read: {str(error)[:200]}."
        ) from error
    if not isinstance(found, dict):
        raise ModelFileError("Its text is not a JSON object.")
    return found


def read_tree(schema: State) -> Iterator[Node]:
    """All nodes, children before parents; the root comes last.

    Fields, levels and references are checked; `Node.children` is filled.
    """
    rest = dict(schema)
    if rest.pop("protocol", None) != PROTOCOL or not isinstance(rest.pop("_skops_version", 0), str):
        raise ModelFileError(f"Its schema is not of skops' protocol {PROTOCOL}.")
    known: dict[int, Node] = {}
    root = _identify(_enter(rest, None, ""), known)
    open_nodes, n_nodes = [(root, iter(children(rest)))], 1
    while open_nodes:
        node, todo = open_nodes[-1]
        for label, state in todo:
            child = _enter(state, node, label)
            n_nodes += 1
            target = _identify(child, known)
            node.children.append(target)
            if target is child:
                open_nodes.append((child, iter(children(child.state))))
                break
        else:
            open_nodes.pop()
            node.width = max((child.width for child in node.children), default=0)
            node.size += sum(child.size for child in node.children)
            if node.size > MOST_GROWTH * n_nodes + SMALL:
                raise ModelFileError("Its schema refers to the same nodes again and again.")
            yield node
            node.complete = True


def children(state: State) -> list[tuple[str, Any]]:
    """Labels and states of a node's children, in the order in which skops reads them."""
    content, loader = state.get("content"), state["__loader__"]
    if loader == "DictNode":
        return [("", state["key_types"]), *((str(key), _) for key, _ in _items(content))]
    if loader in ("ListNode", "SetNode", "TupleNode"):
        return _numbered(content)
    if loader == "NdArrayNode" and "content" in state:
        return [*_numbered(content), ("shape", state["shape"])]
    if loader == "MaskedArrayNode":
        return [(name, _get(content, name)) for name in ("data", "mask")]
    if loader == "RandomGeneratorNode":
        return [(name, _get(content, name)) for name in ("bit_generator", "seed_seq")]
    if loader in ("LossNode", "TreeNode"):
        return [("", content), ("", _get(state["__reduce__"], "args"))]
    if loader in ("DTypeNode", "RandomStateNode") or (loader == "ObjectNode" and content):
        return [("", content)]
    return []


def _enter(state: Any, parent: Node | None, label: str) -> Node:
    level = parent.level + 1 if parent else 1
    if level > MOST_LEVELS:
        raise ModelFileError(f"Its schema is nested more than {MOST_LEVELS} levels deep.")
    if not isinstance(state, dict) or not state.keys() >= _COMMON:
        raise ModelFileError("Its schema has a node without loader and type.")
    if not all(isinstance(state[name], str) for name in _COMMON):
        raise ModelFileError("Its schema has a node whose loader and type are not text.")
    node = Node(state, parent, label, level)
    fields = _FIELDS.get(node.loader)
    if fields is None:
        raise ModelFileError(_why_not(node))
    if node.loader == "NdArrayNode" and "content" in state:
        fields = _OBJECT_ARRAY
    found = state.keys() - _COMMON - {"__id__"}
    if found != fields and not (node.loader == "ObjectNode" and not found):
        raise ModelFileError(
            f"Its schema has a {node.loader} with the fields {str(sorted(found))[:200]}."
        )
    return node


def _identify(node: Node, known: dict[int, Node]) -> Node:
    """The node that a node is or refers to."""
    number = node.state.get("__id__")
    if number is None and node.loader != REFERENCE:
        return node
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ModelFileError("Its schema has a node whose number is not a whole number > 0.")
    if node.loader != REFERENCE:
        if number in known:
            raise ModelFileError("Its schema gives two nodes the same number.")
        known[number] = node
        return node
    target = known.get(number)
    if target is None or not target.complete:
        raise ModelFileError("Its schema refers to a node that does not come before.")
    return target


def why_no_code(node: Node) -> str:
    """The refusal of a function."""
    return f"{node.path()} is a function or class ({node.type}), and a model file holds no code."


def _why_not(node: Node) -> str:
    if node.loader in ("PartialNode", "MethodNode", "OperatorFuncNode"):
        return why_no_code(node)
    return f"{node.path()} is of a kind that a model file cannot hold ({node.type})."


def _numbered(content: Any) -> list[tuple[str, Any]]:
    if not isinstance(content, list):
        raise ModelFileError("Its schema has a list without items.")
    return [(str(number), item) for number, item in enumerate(content)]


def _items(content: Any) -> list[tuple[str, Any]]:
    if not isinstance(content, dict):
        raise ModelFileError("Its schema has a dictionary without items.")
    return list(content.items())


def _get(content: Any, name: str) -> Any:
    if not isinstance(content, dict) or name not in content:
        raise ModelFileError(f"Its schema has a node without {name}.")
    return content[name]

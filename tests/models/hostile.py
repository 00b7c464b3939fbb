"""Files that an attacker could make: right checksums, wrong content."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from isonomy._models.archive import pack, unpack
from isonomy._models.files import to_bytes
from tests.models.models import fitted

State = dict[str, Any]


def opened(name: str = "linear") -> tuple[State, dict[str, bytes]]:
    """The schema of a good file, to be spoiled, and its members."""
    members = {key: bytes(value) for key, value in unpack(to_bytes(fitted(name))).items()}
    return json.loads(members["schema.json"]), members


def closed(schema: Any, members: dict[str, bytes], **more: bytes) -> bytes:
    text = schema if isinstance(schema, bytes) else json.dumps(schema).encode()
    arrays = {key.replace("_", "."): value for key, value in more.items()}
    return pack({**members, "schema.json": text, **arrays})


def with_attribute(state: State, name: str = "extra") -> bytes:
    """A linear ranker with one more attribute."""
    schema, members = opened()
    table = schema["content"]
    table["content"][name] = state
    table["key_types"]["content"].append(node("TypeNode", "builtins", "str"))
    return closed(schema, members)


def node(loader: str, module: str, name: str, **fields: Any) -> State:
    return {"__loader__": loader, "__module__": module, "__class__": name, **fields}


def text(value: Any) -> State:
    return node("JsonNode", "builtins", "str", content=json.dumps(value), is_json=True)


def items(*content: State) -> State:
    return node("ListNode", "builtins", "list", content=list(content))


def pair(*content: State) -> State:
    return node("TupleNode", "builtins", "tuple", content=list(content))


def table(key: State | None = None, **content: State) -> State:
    kind = key or node("TypeNode", "builtins", "str")
    keys = items(*[kind for _ in content])
    return node("DictNode", "builtins", "dict", content=content, key_types=keys)


def thing(module: str, name: str, **attributes: State) -> State:
    return node("ObjectNode", module, name, content=table(**attributes))


def npy(header: str, body: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    raw = header.encode("latin1") + b"\n"
    return b"\x93NUMPY" + version + len(raw).to_bytes(2, "little") + raw + body


def saved(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def reference(number: Any) -> State:
    return node("CachedNode", "builtins", "object", __id__=number)


def numbered(state: State, number: int) -> State:
    return {**state, "__id__": number}


def respell(name: str, old: str, new: str) -> bytes:
    schema, members = opened(name)
    spoiled = json.dumps(schema).replace(old, new)
    assert spoiled != json.dumps(schema)
    return closed(spoiled.encode(), members)


def find(state: Any, name: str, attribute: str) -> State:
    """The attributes of the first object of a class that has one of them."""
    if isinstance(state, dict) and state.get("__class__") == name:
        attributes: State = state["content"]
        if attribute in attributes["content"]:
            return attributes
    for part in state.values() if isinstance(state, dict) else state:
        if isinstance(part, dict | list) and (found := find(part, name, attribute)):
            return found
    return {}

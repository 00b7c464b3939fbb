"""What skops writes, in one form: the same model gives the same bytes."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from isonomy._models.arrays import without_compression, without_padding
from isonomy._models.schema import REFERENCE, State, children

# Values that nothing can change: whether two are the same object does not matter.
_VALUES = {"JsonNode", "TypeNode", "FunctionNode", "DTypeNode", "SliceNode"}

# Before version 1.9 scikit-learn's losses gave a module by a name that cannot be imported.
_UNNAMED_LOSSES, _LOSSES = "_loss", "sklearn._loss._loss"


def canonical(dumped: bytes) -> tuple[State, dict[str, bytes]]:
    """Schema and members of a skops archive.

    Objects are numbered in the order of their occurrence, and only those that occur again; each
    is written once. Members are numbered likewise, sets are sorted, the padding of records is
    zero, sparse matrices are not compressed.
    """
    with zipfile.ZipFile(io.BytesIO(dumped)) as archive:
        schema: State = json.loads(archive.read("schema.json"))
        form = _Form(archive)
        form.visit(schema)
    for number, state in enumerate(form.repeated.values(), start=1):
        for one in state:
            one["__id__"] = number
    return schema, form.members


class _Form:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.members: dict[str, bytes] = {}
        # By skops' number of an object: where it occurs, if more than once.
        self.repeated: dict[int, list[State]] = {}
        self._archive = archive
        self._first: dict[int, State] = {}

    def visit(self, root: State) -> None:
        """Put every node below into the one form, parents first."""
        todo: list[Any] = [root]
        while todo:
            state = todo.pop()
            number = state.pop("__id__", None)
            if state["__loader__"] == "LossNode" and state["__module__"] == _UNNAMED_LOSSES:
                state["__module__"] = _LOSSES
            if state["__loader__"] == "SetNode":
                state["content"].sort(key=_sort_key)
            if number in self._first:
                state.clear()
                state.update(__loader__=REFERENCE, __module__="builtins", __class__="object")
                self.repeated.setdefault(number, [self._first[number]]).append(state)
                continue
            if state["__loader__"] not in _VALUES and number is not None:
                self._first[number] = state
            if "file" in state:
                state["file"] = self._member(state["file"])
            todo += [child for _, child in reversed(children(state))]

    def _member(self, name: str) -> str:
        content, ending = self._archive.read(name), name[name.rindex(".") :]
        new = f"{len(self.members)}{ending}"
        form = {".npy": without_padding, ".npz": without_compression}.get(ending)
        self.members[new] = form(content) if form else content
        return new


def _sort_key(state: State) -> str:
    return json.dumps({name: state[name] for name in sorted(state) if name != "__id__"})

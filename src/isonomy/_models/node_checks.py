"""What the nodes of a schema may hold, kind by kind."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._models.allowed_types import KEYS, is_listed
from isonomy._models.arrays import array_of, check_sparse
from isonomy._models.boosted_trees import BOOSTED, TREES, check_boosted, trees_width
from isonomy._models.columns_of_words import check_hasher, check_one_hot, check_vocabulary
from isonomy._models.model_file_error import ModelFileError
from isonomy._models.schema import Node, State, read_tree, why_no_code
from isonomy._models.trees import WALKERS, WIDTH, predictor_width, tree_width

Members = Mapping[str, memoryview]

# The parameter by which scikit-learn and Isonomy are told how many threads or processes to use.
JOBS = "n_jobs"
# Files, processes, sockets and their like: nobody should trust a file with these.
_STANDARD = sys.stdlib_module_names
# Python reads whole numbers of at most 4,300 digits.
_LONGEST_NUMBER = 4_400
# Length of the state of numpy's old generator, and of the pool of its seeds.
_TWISTER, _POOL = 624, 4
# scikit-learn's types whose numbers compiled code follows.
_FOLLOWED = {
    "CountVectorizer": check_vocabulary,
    "DictVectorizer": check_vocabulary,
    "FeatureHasher": check_hasher,
    "HashingVectorizer": check_hasher,
    "OneHotEncoder": check_one_hot,
    "TfidfVectorizer": check_vocabulary,
}


@dataclass
class Findings:
    """What a schema holds.

    Attributes
    ----------
    root : Node
    objects : nodes of objects
    types : names of all types
    unlisted : names of types of objects that are not on the closed list
    """

    root: Node
    objects: list[Node] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    unlisted: set[str] = field(default_factory=set)


def examine(schema: State, members: Members) -> Findings:
    """Check every node of a schema and every member that it names; nothing is built."""
    arrays = _Arrays(members)
    objects: list[Node] = []
    types: set[str] = set()
    unlisted: set[str] = set()
    for node in read_tree(schema):
        types.add(node.type)
        if not is_listed(node.loader, node.module, node.name):
            if node.loader != "ObjectNode" or node.module.partition(".")[0] in _STANDARD:
                raise ModelFileError(_why_unlisted(node))
            unlisted.add(node.type)
        if node.loader == "ObjectNode":
            objects.append(node)
        if node.loader in _CHECKS:
            _CHECKS[node.loader](node)
        if node.loader in _CHECKS_OF_MEMBERS:
            _CHECKS_OF_MEMBERS[node.loader](node, arrays)
    arrays.check_all_used()
    return Findings(node, objects, types, unlisted)


def check_classes(findings: Findings) -> None:
    """Import the objects' classes; no attribute may stand in for one of their methods.

    An attribute that hides a method could switch off the method's checks.
    """
    for node in findings.objects:
        try:
            found = getattr(import_module(node.module), node.name)
        except (ImportError, AttributeError, ValueError) as error:
            raise ModelFileError(
                f"It holds a {node.type}, which is not installed here ({error})."
            ) from error
        if not isinstance(found, type):
            raise ModelFileError(f"It holds an object of {node.type}, which is not a class.")
        if node.type in findings.unlisted:
            continue
        for name in node.attributes():
            if callable(getattr(found, name, None)):
                raise ModelFileError(f"{node.path()} hides its method {name[:80]}.")


def forget_jobs(findings: Findings) -> bool:
    """Have no object start more threads or processes than by default; whether one would have.

    How many are good is a matter of the machine, not of the model, and no file should say.
    """
    found = False
    for node in findings.objects:
        jobs = node.attributes().get(JOBS)
        if jobs is None or jobs.scalar() is None:
            continue
        if jobs.loader != "JsonNode":
            raise ModelFileError(f"{jobs.path()} should be a plain number, or None.")
        jobs.state["content"], found = "null", True
    return found


class _Arrays:
    """The members that nodes name: each is checked when it is first named."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._found: dict[str, NDArray[np.generic]] = {}
        self._used: set[str] = set()

    def member(self, node: Node, ending: str) -> memoryview:
        name = node.state["file"]
        if not isinstance(name, str) or not name.endswith(ending) or name not in self._members:
            raise ModelFileError(f"{node.path()} names a member that the archive does not have.")
        self._used.add(name)
        return self._members[name]

    def of(self, node: Node) -> NDArray[np.generic]:
        member, name = self.member(node, ".npy"), node.state["file"]
        if name not in self._found:
            self._found[name] = array_of(member)
        return self._found[name]

    def check_all_used(self) -> None:
        if len(self._used) != len(self._members):
            raise ModelFileError("Its archive has members that nothing uses.")


def _check_json(node: Node) -> None:
    content = node.state["content"]
    if not isinstance(content, str) or content[:1] not in set('"-0123456789tfnNI'):
        raise ModelFileError(f"{node.path()} is not one number, text, bool or None.")
    if content[0] != '"' and len(content) > _LONGEST_NUMBER:
        raise ModelFileError(f"{node.path()} is a number of {len(content)} digits.")


def _check_dict(node: Node) -> None:
    types = node.children[0]
    wrong = {kind.type for kind in types.children if kind.loader != "TypeNode"}
    wrong |= {kind.type for kind in types.children} - KEYS
    if types.loader != "ListNode" or wrong:
        raise ModelFileError(
            f"{node.path()} is a dictionary with keys that are neither text nor numbers "
            f"({', '.join(sorted(wrong))[:200]})."
        )
    if len(types.children) != len(node.children) - 1:
        raise ModelFileError(f"{node.path()} is a dictionary with two keys of the same text.")


def _check_slice(node: Node) -> None:
    content = node.state["content"]
    ends = content.values() if isinstance(content, dict) else [content]
    plain = all(end is None or type(end) is int for end in ends)
    if not plain or content.keys() != {"start", "stop", "step"}:
        raise ModelFileError(f"{node.path()} is not a slice of whole numbers.")


def _check_array(node: Node, arrays: _Arrays) -> None:
    if node.state["type"] == "numpy" and "file" in node.state:
        array = arrays.of(node)
        if node.name != "ndarray" and array.ndim:
            raise ModelFileError(f"{node.path()} is not one number.")
        return
    shape = [axis.scalar() for axis in node.children[-1].children]
    if (
        node.state["type"] != "json"
        or node.name != "ndarray"
        or node.children[-1].loader != "TupleNode"
        or not all(type(length) is int and length >= 0 for length in shape)
        or (len(shape) == 1 and shape[0] != len(node.children) - 1)
        or (len(shape) != 1 and math.prod(shape) > _leaves(node))
    ):
        raise ModelFileError(
            f"{node.path()} is an array of objects whose shape does not fit its content."
        )


def _leaves(node: Node) -> int:
    """Nodes two and more levels down, as a bound on the entries of nested lists."""
    count, level = 0, node.children[:-1]
    while level:
        count = len(level)
        if any(item.loader != "ListNode" for item in level):
            break
        level = [child for item in level for child in item.children]
    return count


def _check_masked(node: Node) -> None:
    if any(part.loader != "NdArrayNode" for part in node.children):
        raise ModelFileError(f"{node.path()} is not an array with a mask.")


def _check_dtype(node: Node) -> None:
    if node.children[0].loader != "NdArrayNode":
        raise ModelFileError(f"{node.path()} is not a dtype.")


def _check_random_state(node: Node) -> None:
    state = node.children[0].attributes()
    place = state["state"].attributes().get("pos", node) if "state" in state else node
    position = place.scalar()
    if type(position) is not int or not 0 <= position <= _TWISTER:
        raise ModelFileError(f"{node.path()} is not the state of a random generator.")


def _check_generator(node: Node) -> None:
    state, seeds = (part.attributes() for part in node.children)
    kind = state["bit_generator"].scalar() if "bit_generator" in state else None
    pool = seeds["pool_size"].scalar() if "pool_size" in seeds else None
    if kind != "PCG64" or pool != _POOL:
        raise ModelFileError(
            f"{node.path()} is not a random generator as `default_rng` makes them."
        )


def _check_sparse(node: Node, arrays: _Arrays) -> None:
    if node.state["type"] != "scipy":
        raise ModelFileError(f"{node.path()} is not a sparse matrix.")
    check_sparse(arrays.member(node, ".npz"))


def _check_bytes(node: Node, arrays: _Arrays) -> None:
    arrays.member(node, ".bin")


def _check_loss(node: Node) -> None:
    state, arguments = node.children
    if len(state.children) > (state.loader == "DictNode") or state.loader not in (
        "DictNode",
        "TupleNode",
    ):
        raise ModelFileError(f"{node.path()} is not a loss.")
    if arguments.loader != "TupleNode" or any(
        type(argument.scalar()) is not float for argument in arguments.children
    ):
        raise ModelFileError(f"{node.path()} is not a loss with numbers as its parameters.")


def _check_tree(node: Node, arrays: _Arrays) -> None:
    state = node.children[0].attributes()
    n_features, classes, n_outputs = _padded([*node.children[1].children])
    nodes, values = _array(state.get("nodes"), arrays), _array(state.get("values"), arrays)
    n_classes = _array(classes, arrays)
    depth, count = (_whole(state.get(name)) for name in ("max_depth", "node_count"))
    sizes = (_whole(n_features), _whole(n_outputs))
    if (
        count != nodes.size
        or n_classes.shape != (sizes[1],)
        or n_classes.dtype.kind not in "iu"
        or not n_classes.size
        or n_classes.min() < 1
        or values.shape != (nodes.size, sizes[1], int(n_classes.max()))
    ):
        raise ModelFileError(f"{node.path()} is not a decision tree.")
    node.width = tree_width(nodes, max_depth=depth, n_features=sizes[0])


def _padded(nodes: list[Node]) -> list[Node | None]:
    return [*nodes, None, None, None][:3]


def _array(node: Node | None, arrays: _Arrays) -> NDArray[Any]:
    if node is None or node.loader != "NdArrayNode" or "file" not in node.state:
        raise ModelFileError("A decision tree lacks an array.")
    return arrays.of(node)


def _whole(node: Node | None) -> int:
    number = node.scalar() if node is not None else None
    if type(number) is not int or number < 0:
        raise ModelFileError("A decision tree lacks a whole number >= 0.")
    return number


def _check_object(node: Node, arrays: _Arrays) -> None:
    if node.children and node.children[0].loader != "DictNode":
        listed = is_listed(node.loader, node.module, node.name)
        if listed and node.children[0].scalar() is not None:
            raise ModelFileError(f"{node.path()} is an object whose attributes are no dictionary.")
        return
    attributes = node.attributes()
    for name in attributes:
        if name.startswith("__"):
            raise ModelFileError(f"{node.path()} has an attribute {name[:80]}.")
    memory = attributes.get("memory")
    if memory is not None and memory.scalar() is not None:
        raise ModelFileError(f"{node.path()} keeps a cache in `memory`. Set memory=None.")
    if node.type == TREES:
        node.width = trees_width(node, arrays.of)
    elif node.type in BOOSTED:
        check_boosted(node)
    learned = node.module.startswith("sklearn.")
    if learned and node.name == "TreePredictor":
        node.width = predictor_width(_array(attributes.get("nodes"), arrays))
    if learned and node.name in _FOLLOWED:
        _FOLLOWED[node.name](node, arrays.of)
    if learned and node.name in WALKERS and node.width:
        _check_walker(node, attributes)


def _check_walker(node: Node, attributes: dict[str, Node]) -> None:
    width = attributes[WIDTH].scalar() if WIDTH in attributes else None
    if type(width) is not int or width < node.width:
        raise ModelFileError(f"{node.path()} has trees that need more features than it takes.")
    for name, idle in (("_in_fit", False), ("_preprocessor", None)):
        if name in attributes and attributes[name].scalar() is not idle:
            raise ModelFileError(f"{node.path()}.{name} should be {idle}.")


def _why_unlisted(node: Node) -> str:
    if node.loader in ("FunctionNode", "TypeNode"):
        return why_no_code(node)
    return f"{node.path()} is a {node.type} ({node.loader}), which a model file cannot hold."


_CHECKS: dict[str, Callable[[Node], None]] = {
    "JsonNode": _check_json,
    "DictNode": _check_dict,
    "SliceNode": _check_slice,
    "MaskedArrayNode": _check_masked,
    "DTypeNode": _check_dtype,
    "RandomStateNode": _check_random_state,
    "RandomGeneratorNode": _check_generator,
    "LossNode": _check_loss,
}
_CHECKS_OF_MEMBERS: dict[str, Callable[[Node, _Arrays], None]] = {
    "NdArrayNode": _check_array,
    "SparseMatrixNode": _check_sparse,
    "BytesNode": _check_bytes,
    "TreeNode": _check_tree,
    "ObjectNode": _check_object,
}

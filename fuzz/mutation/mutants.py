"""A module with one operator, number, branch or result changed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
# What they hold is for readers or type checkers.
_PASSED_OVER = ("annotation", "returns", "decorator_list")
_WORDS = {"__repr__", "__str__", "_repr_html_"}


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes
    ----------
    line : int
        Where.
    key : str
        The changed line's text, the change, and its number among the same: what stays when
        lines before it come and go.
    inside : bool
        Whether it is in a function's body, and not in what runs when the module is imported.
    statement : range
        The lines of the statement that it is in, or of its head if others are within it.
    """

    line: int
    key: str
    inside: bool
    statement: range
    _source: str
    _number: int

    @property
    def tree(self) -> ast.Module:
        """The module with the change."""
        return _changed_tree(ast.parse(self._source), self._number)


def mutants(source: str) -> list[Mutant]:
    """Every change that there is, in the order of the lines."""
    tree = ast.parse(source)
    lines = source.splitlines()
    seen: Counter[str] = Counter()
    bodies = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    }
    found = []
    statements = _statements(tree)
    for number, (node, what, _) in enumerate(_changes(tree)):
        text = f"{lines[node.lineno - 1].strip()}  # {what}"
        seen[text] += 1
        key = text if seen[text] == 1 else f"{text} ({seen[text]})"
        inside = id(node) in bodies
        found.append(Mutant(node.lineno, key, inside, statements[id(node)], source, number))
    return sorted(found, key=lambda each: each.line)


def _statements(tree: ast.Module) -> dict[int, range]:
    """The lines of the innermost statement of each node; of its head if it has a body."""
    found = {}
    for node in ast.walk(tree):  # The outer ones come first.
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = node.end_lineno or node.lineno
            lines = range(node.lineno, max(node.lineno + 1, body[0].lineno) if body else last + 1)
            found.update({id(each): lines for each in ast.walk(node)})
    return found


def _changed_tree(tree: ast.Module, number: int) -> ast.Module:
    for k, (node, _, change) in enumerate(_changes(tree)):
        if k == number:
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
            change.apply(node)
            break
    return ast.fix_missing_locations(tree)


@dataclass(frozen=True)
class _Change:
    """Set a field of a node, or an entry of a field that is a list."""

    field: str
    value: object
    index: int | None = None

    def apply(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(node, self.field, self.value)
        else:
            getattr(node, self.field)[self.index] = self.value


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str, _Change]]:
    for node in _nodes(tree):
        for what, change in _of(node):
            yield node, what, change


def _nodes(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """All that runs: no annotations, docstrings, f-strings or what is raised."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.FunctionDef) and node.name in _WORDS:
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for field, value in ast.iter_fields(node):
        if field in _PASSED_OVER:
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _nodes(each)


def _of(node: ast.expr | ast.stmt) -> Iterator[tuple[str, _Change]]:
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            for other in _COMPARED[type(operator)]:
                yield f"{_name(operator)} to {other.__name__}", _Change("ops", other(), k)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        if type(node.op) in _COMPUTED:
            computed = _COMPUTED[type(node.op)]
            yield f"{_name(node.op)} to {computed.__name__}", _Change("op", computed())
    elif isinstance(node, ast.BoolOp):
        joined = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{_name(node.op)} to {joined.__name__}", _Change("op", joined())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        # `+bool(x)` in the place of `not x`: as true as x is.
        yield f"no {_name(node.op)}", _Change("op", ast.UAdd())
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "never", _Change("test", ast.Constant(False))
        if not isinstance(node, ast.While):
            yield "always", _Change("test", ast.Constant(True))
    elif isinstance(node, ast.Return) and not (
        node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    ):
        yield "returns None", _Change("value", ast.Constant(None))


def _constants(node: ast.Constant) -> Iterator[tuple[str, _Change]]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} to {not value}", _Change("value", not value)
    elif isinstance(value, int | float):
        for other in (value + 1, value - 1):
            yield f"{value} to {other}", _Change("value", other)


def _name(operator: ast.AST) -> str:
    return type(operator).__name__

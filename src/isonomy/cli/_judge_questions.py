"""What `isonomy judge` should ask, from the options of the command line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isonomy._core import suggestion
from isonomy._infra import listed
from isonomy._judge import Question, Scale, shipped_prompts
from isonomy.cli._errors import UserError
from isonomy.cli._labels import label_numbers

# What is sent with every question, unless --param says otherwise.
DEFAULT_PARAMS: dict[str, Any] = {"temperature": 0, "max_tokens": 100}
# Ours: the rest of a request is not for options.
_OURS = {"model", "messages", "stream", "n"}
_SCALE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class AskOptions:
    """What the user wants to ask, as it stands on the command line."""

    ask: list[str]
    models: list[str]
    threshold: list[str]
    scale: list[str]
    human: list[str]
    params: list[str]


@dataclass(frozen=True)
class Asked:
    """A column to fill.

    Attributes
    ----------
    question : Question
        What fills it.
    about : str
        The name that `--ask` gave; questions to several models share it.
    threshold : float or None
        The least score that makes the label 1.
    """

    question: Question
    about: str
    threshold: float | None

    @property
    def column(self) -> str:
        """The column of labels."""
        return self.question.name

    @property
    def score_column(self) -> str | None:
        """The column of scores, where scores are asked for."""
        return None if self.question.scale is None else f"{self.column}_score"


def parse_questions(options: AskOptions) -> tuple[list[Asked], dict[str, float]]:
    """Every question to every model, and the thresholds that belong to human columns."""
    prompts = _prompts(options.ask)
    people = [each.rpartition("=")[2] for each in options.human]
    known = [*prompts, *people]
    thresholds = label_numbers(options.threshold, known, "--threshold")
    scales = _scales(options.scale, [name for name in prompts if name in thresholds])
    params = parse_params(options.params)
    if len(set(options.models)) < len(options.models):
        raise UserError("--model names a model twice. Name each once.")
    asked = []
    for model in options.models:
        for name, prompt in prompts.items():
            column = name if len(options.models) == 1 else f"{name}_{model}"
            question = Question(column, prompt, model, scales.get(name), params)
            asked.append(Asked(question, name, thresholds.get(name)))
            _check_threshold(asked[-1])
    return asked, {name: number for name, number in thresholds.items() if name in people}


def parse_human(given: list[str], asked: list[Asked]) -> list[tuple[str, str]]:
    """Questions and the columns of people's labels; a column alone is for all questions."""
    names = list(dict.fromkeys(each.about for each in asked))
    found = []
    for text in given:
        name, sign, column = text.partition("=")
        if sign and name not in names:
            raise UserError(
                f"--human should read question=column, or name a column. {name!r} is no question."
                f"{suggestion(name, names)} The questions: {listed(names)}."
            )
        found += [(name, column)] if sign else [(each, text) for each in names]
    return found


def parse_params(given: list[str]) -> dict[str, Any]:
    """Fields of the request: JSON where it is JSON, else text; null leaves one out."""
    found = dict(DEFAULT_PARAMS)
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise UserError(f"--param should read name=value. Found {text!r}.")
        if name in _OURS:
            raise UserError(f"--param: {name!r} is set by Isonomy itself. Leave it out.")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return {name: value for name, value in found.items() if value is not None}


def _prompts(ask: list[str]) -> dict[str, str]:
    """The questions in words, by name."""
    shipped = shipped_prompts()
    found: dict[str, str] = {}
    for text in ask or sorted(shipped, reverse=True):
        name, sign, file = text.partition("=")
        if not name or (sign and not file):
            raise UserError(f"--ask should read name=file.txt. Found {text!r}.")
        if name in found:
            raise UserError(f"--ask names {name!r} twice. Give each question a name of its own.")
        if not sign and name not in shipped:
            raise UserError(
                f"--ask {name}: Isonomy has no question of that name.{suggestion(name, shipped)} "
                f"It has {listed(sorted(shipped))}; others come from a file: --ask {name}=file.txt"
            )
        found[name] = _read_prompt(file, name, shipped) if sign else shipped[name]
    return found


def _read_prompt(file: str, name: str, shipped: dict[str, str]) -> str:
    try:
        text = Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        cure = f" For the one that ships: --ask {name}" if name in shipped else ""
        raise UserError(f"--ask {name}: there is no file {file}.{cure}") from None
    except UnicodeDecodeError:
        raise UserError(f"--ask {name}: {file} is not UTF-8 text.") from None
    if not text.strip():
        raise UserError(f"--ask {name}: {file} is empty. Write the question into it.")
    return text


def _scales(given: list[str], scored: list[str]) -> dict[str, Scale]:
    """The scale of each question that asks for scores."""
    found = {name: Scale() for name in scored}
    for text in given:
        name, sign, numbers = text.rpartition("=")
        match = _SCALE.fullmatch(numbers.strip())
        if match is None or not float(match[1]) < float(match[2]):
            raise UserError(f"--scale should read 0-4 or question=0-10. Found {text!r}.")
        if not scored or (sign and name not in scored):
            raise UserError(
                f"--scale {text}: scores become labels by a threshold. Add --threshold "
                f"{name or 'question'}={match[2]}, say."
            )
        scale = Scale(float(match[1]), float(match[2]))
        found.update(dict.fromkeys([name] if sign else scored, scale))
    return found


def _check_threshold(asked: Asked) -> None:
    scale = asked.question.scale
    if scale is not None and asked.threshold is not None:
        if scale.low < asked.threshold <= scale.high:
            return
        raise UserError(
            f"--threshold {asked.about} should lie above {scale.low:g} and up to {scale.high:g}, "
            f"the scale of the scores (--scale). Found {asked.threshold:g}."
        )

"""What is fuzzed, a module each."""

from __future__ import annotations

from fuzz.case import Target
from fuzz.targets.answers import Answers
from fuzz.targets.arguments import Arguments
from fuzz.targets.checkpoints import Checkpoints
from fuzz.targets.models import Models
from fuzz.targets.sketches import Sketches
from fuzz.targets.tables import Tables

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (Tables(), Arguments(), Models(), Sketches(), Checkpoints(), Answers())
}

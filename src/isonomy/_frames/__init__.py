"""Data frames in partitions: what is asked of them, whichever engine holds them."""

from __future__ import annotations

from isonomy._frames.boosted import fit_boosted
from isonomy._frames.engine_frame import EngineFrame, Question, ReadRows
from isonomy._frames.frames import Frames
from isonomy._frames.scoring import scores_of

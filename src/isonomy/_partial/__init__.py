"""What adds up over partitions: counts tables, sketches, and the moments of a pair loss."""

from __future__ import annotations

from isonomy._partial.auc_sketch import AUCSketch
from isonomy._partial.bounded import Bounded
from isonomy._partial.sketch_bytes import is_sketch

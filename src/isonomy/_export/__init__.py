"""Models that serve elsewhere: ONNX and SQL."""

from __future__ import annotations

from isonomy._export.onnx_model import to_onnx
from isonomy._export.sql import to_sql

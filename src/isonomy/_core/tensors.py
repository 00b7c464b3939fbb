"""Tensors of torch as arrays, without importing torch."""

from __future__ import annotations

import sys
from typing import Any

from numpy.typing import NDArray


def is_tensor(data: object) -> bool:
    """Whether it is a tensor of torch, which is then imported already."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return kind is not None and isinstance(data, kind)


def has_numpy_type(tensor: Any) -> bool:
    """Whether numpy knows the tensor's type: bfloat16 and others for networks are torch's own."""
    return not tensor.is_floating_point() or str(tensor.dtype) in (
        *("torch.float64", "torch.float32", "torch.float16"),
    )


def needs_copy(tensor: Any) -> bool:
    """Whether numpy cannot read the tensor as it is."""
    return bool(tensor.requires_grad or tensor.device.type != "cpu" or not has_numpy_type(tensor))


def tensor_values(tensor: Any) -> NDArray[Any]:
    """A tensor's numbers, from any device, without its gradient; narrow types as float32."""
    plain = tensor.detach().cpu()
    values: NDArray[Any] = (plain if has_numpy_type(plain) else plain.float()).numpy()
    return values

"""JSON without the numbers that JSON does not have."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Tuple


def finite_of(fields: Dict[str, Any]) -> Tuple[Dict[str, Any], List[str]]:
    """The fields without NaN and the infinities, and the path of each that was left out: `custom.ratio`.

    In a list, where the place of the others counts, None stands for the number.
    """
    left: List[str] = []
    return _copied(fields, "", left), left


def _copied(value: Any, path: str, left: List[str]) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        left.append(path)
        return None
    if isinstance(value, dict):
        copies = {key: _copied(it, f"{path}.{key}" if path else str(key), left) for key, it in value.items()}
        return {key: it for key, it in copies.items() if it is not None or value[key] is None}
    if isinstance(value, (list, tuple)):
        return [_copied(it, f"{path}[{index}]", left) for index, it in enumerate(value)]
    return value

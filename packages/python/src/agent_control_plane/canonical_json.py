"""JSON values that can be compared with what the service shows to people."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import Any

#: Beyond it not every whole number is a double, and another one would be shown than the one that is run.
LARGEST_INT = 2**53 - 1


def plain_json(value: Any) -> Any:
    """A copy of the value, as JSON has it.

    Raises:
        TypeError, ValueError: it is no JSON, or JSON would change it.
    """
    copy = json.loads(json.dumps(value, allow_nan=False))
    canonical_json(copy)
    return copy


def sha256_of_json(value: Any) -> str:
    """SHA-256 of the canonical form, in hexadecimal.

    Raises:
        TypeError, ValueError: as `plain_json`.
    """
    return hashlib.sha256(canonical_json(plain_json(value)).encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """The canonical form of RFC 8785, of a value that `json.loads` returned.

    Names are in the order of their UTF-16 code units, numbers as ECMAScript writes them; there is no white space.

    Raises:
        ValueError: a whole number is beyond those of doubles, or a text ends in half of a surrogate pair.
    """
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_text(name)}:{canonical_json(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical_json(part) for part in value) + "]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int) and abs(value) > LARGEST_INT:
        raise ValueError(f"{value} is beyond the whole numbers of JSON: send it as a text")
    return json.dumps(value)


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        # no database stores one, so it would be shown as another character
        raise ValueError("JSON text can not have half of a surrogate pair") from error
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """As ECMAScript's Number::toString writes it (ECMA-262, 6.1.6.1.20)."""
    if value == 0:
        return "0"
    sign, tuple_of_digits, exponent = Decimal(repr(value)).as_tuple()
    written = "".join(map(str, tuple_of_digits))
    digits = written.rstrip("0")
    point = len(written) + int(exponent)
    if len(digits) <= point <= 21:
        body = digits.ljust(point, "0")
    elif 0 < point <= 21:
        body = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        body = f"{digits[0]}{fraction}e{point - 1:+d}"
    return "-" * sign + body

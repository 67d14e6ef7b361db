"""Forecasts the sales of a category of books. A run gives it the category, and gets its answer from the last line."""

import json
import sys

SOLD = {
    "novels": [412, 398, 441, 437, 460, 472],
    "travel": [88, 97, 120, 131, 140, 118],
    "cookbooks": [65, 61, 70, 74, 69, 77],
    # a new category: nothing was sold before last week
    "maps": [0, 0, 0, 0, 0, 31],
}


def growth(weeks: list[int]) -> float:
    half = len(weeks) // 2
    return sum(weeks[half:]) / sum(weeks[:half])


def forecast(category: str) -> dict[str, object]:
    weeks = SOLD[category]
    print(f"{category}: {weeks}", flush=True)
    return {"category": category, "next_week": round(weeks[-1] * growth(weeks)), "from_weeks": len(weeks)}


if __name__ == "__main__":
    given = json.load(sys.stdin) or {}
    print(json.dumps(forecast(given.get("category", "novels"))))

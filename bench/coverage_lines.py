"""A line of the coverage tables, and whether it keeps its bar."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Line:
    """One line of a table: how often something happened in how many samples."""

    what: str
    design: str
    share: float
    samples: int
    bar: tuple[float, float]
    default: bool = True
    note: str = ""

    @property
    def error(self) -> float:
        """1.96 standard errors of the share, in percent."""
        return 196 * math.sqrt(max(self.share * (1 - self.share), 1e-9) / self.samples)

    @property
    def verdict(self) -> str:
        """Where the share lies: inside its bar, within its simulation error of it, or outside."""
        low, high = self.bar
        share = 100 * self.share
        if low <= share <= high:
            return "holds"
        if low - self.error <= share <= high + self.error:
            return "within error"
        return "too low" if share < low else "too high"

    @property
    def misleads(self) -> bool:
        """Whether a default claims more than it should; claiming too little is the safe side."""
        wrong = "too low" if self.bar[0] > 50 else "too high"
        return self.default and self.verdict == wrong

    def row(self) -> str:
        """The line in Markdown."""
        verdict = self.verdict if self.verdict.startswith(("h", "w")) else f"**{self.verdict}**"
        used = "yes" if self.default else ""
        return (
            f"| {self.what} | {self.design} | {100 * self.share:.1f} ± {self.error:.1f} | {used} "
            f"| {verdict} | {self.note} |"
        )


COVERS = (93.0, 97.0)
AT_LEAST = (93.0, 100.0)
REJECTS = (4.0, 6.0)
AT_MOST = (0.0, 6.0)

"""What was found out, to be read, drawn, shown in notebooks and kept as a page."""

from __future__ import annotations

import html
import json
import os
import textwrap
from typing import Any

import numpy as np


class Result:
    """A finding: its figures as attributes, its words as text, its charts as a page."""

    _title = "Findings"

    def __init__(self, finding: Any):
        self._finding = finding
        self._found = json.loads(finding.json)

    @property
    def words(self) -> list[str]:
        """What to know, in sentences."""
        return [*self._found.get("summary", []), *self._found.get("warnings", [])]

    def to_dict(self) -> dict:
        """Everything as plain lists and numbers."""
        return json.loads(self._finding.json)

    def save(self, path: str | os.PathLike) -> None:
        """Write a page with charts that stands alone.

        Parameters
        ----------
        path : str or path
            The HTML file.
        """
        self._finding.write(self._title, os.fspath(path))

    def _repr_html_(self) -> str:
        # A frame of its own keeps the page's style from the notebook's.
        page = html.escape(self._finding.page(self._title), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:1px solid #8884"></iframe>'

    def __str__(self) -> str:
        return "\n".join(textwrap.fill(sentence, 80) for sentence in self.words)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.words[0] if self.words else ''}>"


class Curve:
    """The answers by share of known cells, as arrays of equal length.

    Attributes
    ----------
    share : array
        Share of a row's known cells that stay known.
    known : array
        How many cells that is on average.
    mean, low, lower_quartile, median, upper_quartile, high : array
        The answers of all rows: mean, and the points below which 5, 25, 50, 75 and 95 % lie.
    scatter : array
        What WHICH cells are known does: deviation over the masks of a row, mean over rows.
    """

    def __init__(self, levels: list[dict]):
        for name in levels[0] if levels else ():
            setattr(self, name, np.array([level[name] for level in levels]))

    def __repr__(self) -> str:
        return f"Curve({', '.join(vars(self))}; {len(self.share)} levels)"


class Drift(Result):
    """Figures of an audit and the curve they are of."""

    _known = "known cells that are left, %"

    def __init__(self, finding: Any):
        super().__init__(finding)
        for name in ("verdict", "drift", "slope", "share", "range", "spearman", "intervals"):
            setattr(self, name, self._found[name])
        self.curve = Curve(self._found["curve"])

    def _answer(self) -> str:
        """What the answers are."""
        return "answer"

    def plot(self, ax: Any = None) -> Any:
        """Draw the answers by share of what is known.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
            With the mean, the middle half and 90 % of the answers.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError('plot() needs matplotlib\nhint: install it, or save("page.html")') from None
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
        curve, percent = self.curve, 100 * self.curve.share
        ax.fill_between(percent, curve.low, curve.high, alpha=0.15, color="C0", lw=0, label="90 % of the answers")
        ax.fill_between(
            percent, curve.lower_quartile, curve.upper_quartile, alpha=0.3, color="C0", lw=0, label="middle half"
        )
        ax.axhline(curve.mean[-1], color="0.5", lw=1, ls="--", label="mean with all known")
        ax.plot(percent, curve.mean, color="C0", lw=2, label="mean")
        ax.set_xlabel(self._known)
        ax.set_ylabel(self._answer())
        ax.set_title(f"{self.verdict.replace('-', ' ')}: {self.drift:+.2f} standard deviations", fontsize=11)
        ax.legend(frameon=False, fontsize=8)
        return ax


class Audit(Drift):
    """What an audit found.

    Attributes
    ----------
    verdict : str
        ``flat``, ``mild-drift``, ``strong-drift`` or ``unclear``.
    drift : float
        Largest departure of the mean answer from the one with all known, in standard deviations of the answers.
    slope : float
        Change of a row's answer from nothing to all known, in standard deviations of the answers; median row.
    share : float
        Part of the scatter of a row's answers that the number of known cells explains, 0 to 1; median row.
    range : float
        Largest difference between a row's level means, in standard deviations of the target; median row.
    spearman : float
        Rank correlation between the number of known cells and a row's level means, -1 to 1; median row.
    intervals : dict
        95 % interval of each of these.
    curve : Curve
        The answers by share of known cells.
    per_class : dict of str to dict
        The figures of every class.
    columns : list of dict
        What hiding one column does, the largest effect first.
    words : list of str
        What to know, in sentences.
    """

    _title = "Audit: does the answer drift with how much is known?"

    def __init__(self, finding: Any):
        super().__init__(finding)
        self.columns = self._found["columns"]
        self.per_class = {figures["class"]: figures for figures in self._found["per_class"]}
        self.class_ = self._found["class"]
        self.contrast = self._found["contrast"]

    def _answer(self) -> str:
        return "answer" if self.class_ is None else f"chance of {self.class_}"


class RatingAudit(Drift):
    """What the audit of a recommender found.

    Attributes
    ----------
    verdict : str
        ``flat``, ``mild-drift``, ``strong-drift`` or ``unclear``.
    drift : float
        Largest departure of the mean prediction from the one with all ratings known, in standard deviations of the
        predictions.
    slope, share, spearman : float
        As of an :class:`Audit`, of the median user: change of the prediction from no rating to all, part of its scatter
        that the number of ratings explains, rank correlation with that number.
    range : float
        Largest difference between a user's level means, in standard deviations of the ratings; median user.
    intervals : dict
        95 % interval of each of these.
    curve : Curve
        The predictions by share of known ratings.
    groups : list of dict
        What the data themselves say: users by how many ratings they gave, and their mean rating.
    words : list of str
        What to know, in sentences.
    """

    _title = "Audit: do predicted ratings drift with how many ratings a user gave?"
    _known = "known ratings of the user that are left, %"

    def __init__(self, finding: Any):
        super().__init__(finding)
        self.groups = self._found["groups"]

    def _answer(self) -> str:
        return "predicted rating"


class Description(Result):
    """What is missing, where, together with what, and whether it looks random.

    Attributes
    ----------
    findings, warnings : list of str
        What to know and what to be careful about, in sentences.
    rows, missing_cells, complete_rows : int
        Counts.
    columns : list of dict
        Name, kind, number and share of missing cells of each column.
    little : dict
        Little's test of "missing completely at random".
    """

    _title = "Holes"

    def __init__(self, finding: Any):
        super().__init__(finding)
        for name in ("findings", "warnings", "rows", "missing_cells", "complete_rows", "columns", "little"):
            setattr(self, name, self._found[name])

    @property
    def words(self) -> list[str]:
        """What to know, in sentences."""
        return [*self.findings, *self.warnings]


class Comparison(Result):
    """Methods side by side.

    Attributes
    ----------
    standings : list of dict
        Results, best first.
    best : str
        The method with the lowest loss.
    words : list of str
        The same in sentences.
    fits : list of dict
        Every single fit with its figures and seconds.
    failures : list of dict
        Methods that could not be fitted.
    """

    _title = "Methods compared"

    def __init__(self, finding: Any):
        super().__init__(finding)
        for name in ("standings", "fits", "failures"):
            setattr(self, name, self._found[name])
        self.best = self.standings[0]["contestant"]

    @property
    def words(self) -> list[str]:
        """What came out, in sentences."""
        return self._found["words"]


class Pooled:
    """One answer from the same analysis of several filled tables.

    Attributes
    ----------
    estimate, standard_error, low, high, p_value : float or array
        The pooled answer, its error with the holes' share, its interval and its test against 0.
    degrees : float or array
        Degrees of freedom: Barnard and Rubin's where ``complete_df`` is given, else Rubin's.
    share_of_holes : float or array
        Share of the variance that is due to the holes.
    """

    def __init__(self, terms: list[dict], scalar: bool):
        for name in terms[0]:
            values = [np.nan if term[name] is None else term[name] for term in terms]
            setattr(self, name, values[0] if scalar else np.array(values))

    def __repr__(self) -> str:
        return f"<Pooled: estimate {self.estimate}, standard error {self.standard_error}>"

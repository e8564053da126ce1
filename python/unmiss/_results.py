"""What was found out, to be read, drawn, shown in notebooks and kept as a page."""

from __future__ import annotations

import html
import json
import os
import textwrap
from typing import Any, NamedTuple

import numpy as np

from . import _unmiss


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


class ImageDescription(Result):
    """What is known of images.

    Attributes
    ----------
    images, height, width, channels : int
        How many there are, and the size of each.
    missing : float
        Share of the pixels that is missing, in any of their channels.
    complete_images, empty_images : int
        Images without a hole, and images of which nothing is known.
    missing_by_pixel : array of shape (height, width)
        In which share of the images a pixel is missing.
    missing_by_class : dict of str to float
        The share missing in the images of each class, where classes were given.
    """

    _title = "Holes in images"

    def __init__(self, finding: Any):
        super().__init__(finding)
        found = self._found
        for name in ("images", "height", "width", "channels", "missing"):
            setattr(self, name, found[name])
        self.complete_images, self.empty_images = found["complete"], found["empty"]
        self.missing_by_pixel = np.array(found["missing_by_pixel"]).reshape(self.height, self.width)
        self.missing_by_class = {one["class"]: one["missing"] for one in found["classes"]}

    @property
    def words(self) -> list[str]:
        """What to know, in sentences."""
        size = f"{self.images} images of {self.height} x {self.width} pixels"
        holes = f"{100 * self.missing:.1f} % of the pixels are missing, {self.complete_images} images are complete"
        return [f"{size}; {holes}."]


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
        As of an :class:`Audit`, of the median pair: change of the prediction from no rating to all, part of its scatter
        that the number of ratings explains, rank correlation with that number.
    range : float
        Largest difference between a pair's level means, in standard deviations of the ratings; median pair.
    intervals : dict
        95 % interval of each of these.
    curve : Curve
        The predictions by share of known ratings.
    groups : list of dict
        What the data themselves say: users (or items) by how many ratings they have, and their mean rating.
    vectors : str
        Whose ratings were left out, ``user`` or ``item``: what a row of the network is.
    network : bool
        Whether a network answered, and not what the model says of somebody new.
    words : list of str
        What to know, in sentences.
    """

    _title = "Audit: do predicted ratings drift with how many ratings are known?"

    def __init__(self, finding: Any):
        super().__init__(finding)
        self.groups = self._found["groups"]
        self.vectors = self._found["vectors"]
        self.network = self._found["network"]
        self._known = f"known ratings of the {self.vectors} that are left, %"

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


class Explanation(Result):
    """What a model goes by.

    Attributes
    ----------
    columns : list of dict
        Every column, the most important first: ``importance`` (``mean`` and standard ``error`` of the rise of the loss
        when its cells, holes too, change places between rows), ``from_holes`` (the part of it that is lost through the
        holes alone), ``hidden`` (what hiding known cells does to ``answer`` and ``loss``), ``moves`` (how far answers
        move), ``missing_in_training``.
    curves : list of dict
        Partial dependence of the first columns: ``points`` with ``value`` and ``answer``, and ``missing``.
    classes : list of str
        The classes whose chances are told, of two the second; empty for a number.
    loss : float or None
        Mean loss of the rows as they are: squared error in variances of the target, or log-loss.
    rows : int
        Rows that were asked about.
    held_out : bool
        Whether the models had not learned from them.
    words : list of str
        What to know and what to be careful about, in sentences.
    """

    _title = "What the model goes by"

    def __init__(self, finding: Any):
        super().__init__(finding)
        for name in ("columns", "curves", "classes", "loss", "rows", "held_out"):
            setattr(self, name, self._found[name])

    def plot(self, ax: Any = None, most: int = 15) -> Any:
        """Draw the importance of the columns.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to; None: a new figure.
        most : int, default=15
            Columns to draw.

        Returns
        -------
        ax : matplotlib axes
            A bar for each column, with its standard error.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError('plot() needs matplotlib\nhint: install it, or save("page.html")') from None
        shown = self.columns[:most][::-1]
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 1.0 + 0.28 * len(shown)), layout="constrained")
        figures = [column["importance"] or column["moves"] for column in shown]
        means, errors = ([figure[name] for figure in figures] for name in ("mean", "error"))
        ax.barh([column["column"] for column in shown], means, xerr=errors, color="C0", ecolor="0.4")
        loss = "log-loss" if self.classes else "squared error / variance"
        ax.set_xlabel("how far answers move" if self.loss is None else f"rise of the {loss}")
        return ax


class Contributions:
    """What each column adds to the answers for some rows.

    Attributes
    ----------
    values : array of shape (n_samples, n_features)
        The contributions. With ``base`` they add up to ``answers``; where exact ones of a number do not, the answer was
        kept within the range of the known target.
    errors : array of shape (n_samples, n_features)
        Their standard errors; 0 where they are exact.
    base : array of shape (n_samples,)
        The mean answer over cells as they were in training.
    answers : array of shape (n_samples,)
        The number, or the chance of ``classes``.
    names : list of str
        The columns.
    classes : array of shape (n_samples,) or None
        The class whose chance is explained: of two the second, of more the predicted one.
    """

    def __init__(self, values: Any, errors: Any, base: Any, answers: Any, names: list[str], classes: Any):
        self.values, self.errors, self.base, self.answers = values, errors, base, answers
        self.names, self.classes = names, classes

    def to_frame(self) -> Any:
        """A pandas frame, a column for each column of X."""
        import pandas as pd

        return pd.DataFrame(self.values, columns=self.names)

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        return f"<Contributions: {rows} rows, {columns} columns>"


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


# What a table of pooled estimates has, under the names that statsmodels and R use.
_COLUMNS = {
    "estimate": "estimate",
    "std_error": "standard_error",
    "t": "statistic",
    "df": "degrees",
    "p_value": "p_value",
    "low": "low",
    "high": "high",
    "fmi": "missing_information",
    "riv": "relative_increase",
    "lambda": "share_of_holes",
    "df_rubin": "degrees_rubin",
}


def _read(term: dict, name: str) -> Any:
    """A figure from JSON, which knows no infinity: degrees without bounds."""
    endless = np.inf if name in ("degrees", "degrees_rubin") else np.nan
    return endless if term[name] is None else term[name]


def _framed(terms: list[dict], names: list[str]) -> Any:
    import pandas as pd

    columns = {column: [_read(term, name) for term in terms] for column, name in _COLUMNS.items()}
    return pd.DataFrame(columns, index=pd.Index(names, name="term"))


class Pooled:
    """One answer from the same analysis of several filled tables.

    Attributes
    ----------
    terms : list of str or None
        What was estimated, where the results said so.
    estimate, standard_error, low, high, p_value : float or array
        The pooled answer, its error with the holes' share, its interval and its test against 0.
    degrees : float or array
        Degrees of freedom: Barnard and Rubin's where those of complete data are known, else Rubin's.
    missing_information, relative_increase, share_of_holes : float or array
        Fraction of missing information, growth of the variance through the holes, their share of it.
    """

    def __init__(self, terms: list[dict], scalar: bool, names: list[str] | None = None, parts: Any = None):
        self.terms = names
        self._figures, self._parts = terms, parts
        for name in terms[0]:
            values = [_read(term, name) for term in terms]
            setattr(self, name, values[0] if scalar else np.array(values))

    def to_frame(self) -> Any:
        """A pandas frame, one row for each estimate."""
        names = self.terms or [str(place) for place in range(len(self._figures))]
        return _framed(self._figures, names)

    def summary(self) -> Any:
        """The same as :meth:`to_frame`."""
        return self.to_frame()

    def test(self, terms: list[str]) -> dict:
        """Test by Wald (D1) whether all of some estimates are 0.

        Parameters
        ----------
        terms : list of str
            Their names.

        Returns
        -------
        test : dict
            ``statistic`` (F), ``coefficients`` and ``degrees`` (its degrees of freedom), ``p_value``,
            ``relative_increase``.
        """
        estimates, covariances, complete = self._parts or (None, None, None)
        if self.terms is None or covariances is None:
            raise TypeError("a joint test needs covariances\nhint: pool results of models, not estimates alone")
        absent = [term for term in terms if term not in self.terms]
        if absent:
            raise ValueError(f"there is no estimate {absent[0]!r}\nhint: the estimates are {self.terms}")
        places = [self.terms.index(term) for term in terms]
        squares = [covariance[np.ix_(places, places)].ravel().tolist() for covariance in covariances]
        return json.loads(_unmiss.pool_wald(estimates[:, places].tolist(), squares, complete))

    def __repr__(self) -> str:
        if self.terms is None:
            return f"<Pooled: estimate {self.estimate}, standard error {self.standard_error}>"
        return _written(self._figures, self.terms)


def _written(figures: list[dict], names: list[str]) -> str:
    """Pooled estimates as text."""
    width = max(4, *(len(name) for name in names))
    head = f"{'':{width}} {'estimate':>11} {'error':>10} {'low':>11} {'high':>11} {'df':>8} {'p':>7} {'fmi':>6}"
    lines = [head]
    for name, one in zip(names, figures):
        numbers = [one["estimate"], one["standard_error"], one["low"], one["high"]]
        cells = " ".join(f"{number:>{size}.4g}" for number, size in zip(numbers, (11, 10, 11, 11)))
        tail = f"{_read(one, 'degrees'):>8.1f} {one['p_value']:>7.4f} {one['missing_information']:>6.3f}"
        lines.append(f"{name:{width}} {cells} {tail}")
    return "\n".join(lines)


class Analysis(Result):
    """A regression of every filled table, pooled.

    Attributes
    ----------
    terms : list of str
        The coefficients.
    coefficients : list of dict
        Each with estimate, standard error, interval, test, degrees of freedom and missing information.
    tests : list of dict
        Tests of several coefficients at once.
    complete_rows : dict or None
        The same regression of the rows without holes.
    """

    _title = "Regression of filled tables"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._found:
            raise AttributeError(name)
        return self._found[name]

    @property
    def terms(self) -> list[str]:
        """Names of the coefficients."""
        return [one["term"] for one in self._found["coefficients"]]

    def to_frame(self) -> Any:
        """A pandas frame, one row for each coefficient."""
        return _framed(self._found["coefficients"], self.terms)

    def summary(self) -> Any:
        """The same as :meth:`to_frame`."""
        return self.to_frame()

    def __str__(self) -> str:
        return _written(self._found["coefficients"], self.terms)

    def __repr__(self) -> str:
        return f"<Analysis: {self._found['formula']}, {self._found['draws']} filled tables>\n{self}"


class Simulation(NamedTuple):
    """Rows of a made world: with holes, without, and the best possible answers."""

    #: The columns, NaN at holes.
    X: np.ndarray
    #: The response.
    y: np.ndarray
    #: The columns without a hole.
    X_full: np.ndarray
    #: For every row the best answer that its known cells allow.
    bayes: np.ndarray
    #: The standard error of each best answer; None where it is exact.
    bayes_error: np.ndarray | None
    #: The response without noise.
    noiseless: np.ndarray

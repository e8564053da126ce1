"""Saved models as Polars expressions, lazily and streaming: a compiled plugin, which needs no Python to answer.

Importing this module gives every expression the namespace ``unmiss``:

>>> import os, tempfile
>>> import polars as pl
>>> import unmiss, unmiss.polars
>>> frame = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, None, 6.0], "y": [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]})
>>> path = os.path.join(tempfile.mkdtemp(), "line.unmiss")
>>> unmiss.LinearRegressor(folds=0).fit(frame.select("a"), frame["y"]).save(path)
>>> frame.lazy().with_columns(pl.struct("a").unmiss.predict(path)).collect().shape
(6, 3)
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
from polars.plugins import register_plugin_function

from . import _unmiss
from ._arrow import ArrowModel


@pl.api.register_expr_namespace("unmiss")
class Unmiss:
    """What an expression of a struct, a field for each input column, can ask a saved model that predicts."""

    def __init__(self, expression: pl.Expr):
        self._expression = expression

    def predict(self, path: str | os.PathLike) -> pl.Expr:
        """The prediction for each row: a number, or the most probable class."""
        model = ArrowModel(path).model
        found = self._answers(path).struct.field("prediction")
        kind = pl.Series(model.classes_).dtype if hasattr(model, "classes_") else pl.Float64
        return (found == "True" if kind == pl.Boolean else found.cast(kind)).alias("prediction")

    def predict_proba(self, path: str | os.PathLike) -> pl.Expr:
        """A struct with the chance of each class."""
        names = [f"probability_{word}" for word in ArrowModel(path).model.model_.levels]
        answers = self._answers(path)
        return pl.struct(*[answers.struct.field(name) for name in names]).alias("prediction")

    def predict_interval(self, path: str | os.PathLike, level: float = 0.9) -> pl.Expr:
        """A struct of prediction, lower and upper end."""
        return self._answers(path, level).alias("prediction")

    def _answers(self, path: str | os.PathLike, level: float | None = None) -> pl.Expr:
        """A struct of all that the model says. What a row gets depends on that row alone, so any cut into batches gives
        the same."""
        asked = json.dumps({"path": ArrowModel(path).path, "level": level})
        return register_plugin_function(
            plugin_path=Path(_unmiss.__file__),
            function_name="unmiss_answers",
            args=[self._expression],
            kwargs={"asked": asked},
            is_elementwise=True,
        )

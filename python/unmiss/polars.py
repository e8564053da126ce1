"""Saved models as Polars expressions, lazily and streaming.

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

import os
from typing import Any

import polars as pl

from ._arrow import ArrowModel


@pl.api.register_expr_namespace("unmiss")
class Unmiss:
    """What an expression of a struct, a field for each input column, can ask a saved model."""

    def __init__(self, expression: pl.Expr):
        self._expression = expression

    def predict(self, path: str | os.PathLike) -> pl.Expr:
        """The prediction for each row: a number, or the most probable class."""
        model = ArrowModel(path)
        number = not hasattr(model.model, "classes_")
        return self._mapped(model, pl.Float64 if number else _type_of(model), lambda answers: answers["prediction"])

    def predict_proba(self, path: str | os.PathLike) -> pl.Expr:
        """A struct with the chance of each class."""
        model = ArrowModel(path)
        names = [f"probability_{word}" for word in model.model.classes_]
        kind = pl.Struct(dict.fromkeys(names, pl.Float64))
        return self._mapped(model, kind, lambda answers: answers.select(names).to_struct())

    def predict_interval(self, path: str | os.PathLike, level: float = 0.9) -> pl.Expr:
        """A struct of prediction, lower and upper end."""
        names = ["prediction", "lower", "upper"]
        kind = pl.Struct(dict.fromkeys(names, pl.Float64))
        return self._mapped(ArrowModel(path, level=level), kind, lambda answers: answers.select(names).to_struct())

    def _mapped(self, model: ArrowModel, kind: Any, take: Any) -> pl.Expr:
        def answered(rows: pl.Series) -> pl.Series:
            return take(model(rows.struct.unnest())).alias(rows.name).cast(kind)

        # What a row gets depends on that row alone, so any cut into batches gives the same.
        mapped = self._expression.map_batches(answered, return_dtype=kind, is_elementwise=True)
        return mapped.alias("prediction")


def _type_of(model: ArrowModel) -> Any:
    """The type of the classes."""
    return pl.Series(model.model.classes_).dtype

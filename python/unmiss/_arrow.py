"""One adapter from Arrow batch to Arrow batch, for engines that hand out batches to workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from . import _unmiss
from ._files import load

#: Models of this process by path, with the time of the file: loaded once for each worker.
_LOADED: dict[str, tuple[tuple[int, int], Any]] = {}


def _loaded(path: str) -> Any:
    """The model of a file, read again only if the file has changed."""
    found = os.stat(path)
    stamp = (found.st_mtime_ns, found.st_size)
    known = _LOADED.get(path)
    if known is None or known[0] != stamp:
        known = (stamp, load(path))
        _LOADED[path] = known
    return known[1]


def arrow(path: str | os.PathLike, *, level: float | None = None, keep: bool = False) -> ArrowModel:
    """A saved model as a function from Arrow batch to Arrow batch.

    It is a path and no more until it is called: an engine can send it to its workers, and each reads the file once.
    Ray Data takes it in ``map_batches``, Spark in ``mapInArrow``, Dask in ``map_partitions``, Polars in
    ``map_batches``. What it answers for a row depends on that row alone, so the same rows give the same answers, bit
    for bit, however they are cut into batches.

    Parameters
    ----------
    path : str or path
        The file of a model that predicts or fills, made here or by the program. Every worker must be able to read it.
    level : float, default=None
        For models that predict a number, and an error for others: also ``lower`` and ``upper``, the ends of the
        interval that holds in this share of cases.
    keep : bool, default=False
        Whether the columns of the batch stay in front of the predictions.

    Returns
    -------
    model : ArrowModel
        Call it with a table, a batch or a data frame; with an iterator of batches it gives an iterator.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> import unmiss
    >>> X = pa.table({"a": [1.0, 2.0, None, 4.0, 5.0, 6.0], "b": [2.0, None, 6.0, 8.0, 10.0, 12.0]})
    >>> path = os.path.join(tempfile.mkdtemp(), "filler.unmiss")
    >>> unmiss.GaussianImputer().fit(X).save(path)
    >>> unmiss.arrow(path)(X).column("b").null_count
    0
    """
    return ArrowModel(path, level=level, keep=keep)


class ArrowModel:
    """A saved model as a function from Arrow batch to Arrow batch; see :func:`unmiss.arrow`."""

    def __init__(self, path: str | os.PathLike, *, level: float | None = None, keep: bool = False):
        self.path = os.path.abspath(os.fspath(path))
        self.level = level
        self.keep = keep
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"there is no model file {self.path}")

    @property
    def model(self) -> Any:
        """The estimator of the file."""
        return _loaded(self.path)

    def __repr__(self) -> str:
        return f"unmiss.arrow({self.path!r})"

    def __call__(self, batch: Any) -> Any:
        """Answers for a table, a batch or a data frame, as the same; for an iterator of batches, an iterator.

        Parameters
        ----------
        batch : pyarrow.Table, pyarrow.RecordBatch, pandas or polars data frame, or iterator of batches
            The rows.

        Returns
        -------
        answers : the same type
            ``prediction``, with ``probability_CLASS`` for each class or with ``lower`` and ``upper``; or the columns
            without holes.
        """
        import pyarrow as pa

        if isinstance(batch, pa.RecordBatch):
            table = self._answered(pa.Table.from_batches([batch]))
            whole = table.combine_chunks().to_batches()
            return whole[0] if whole else pa.RecordBatch.from_pylist([], schema=table.schema)
        if isinstance(batch, pa.Table):
            return self._answered(batch)
        if hasattr(batch, "columns") and hasattr(batch, "shape"):
            return self._of_frame(batch)
        if isinstance(batch, Iterable):
            return self._each(batch)
        raise TypeError(f"{type(batch).__name__} is no Arrow table or batch, data frame or iterator of batches")

    def _each(self, batches: Iterable) -> Iterator:
        for batch in batches:
            yield self(batch)

    def _of_frame(self, frame: Any) -> Any:
        import pyarrow as pa

        if type(frame).__module__.startswith("polars"):
            import polars

            return polars.from_arrow(self._answered(frame.to_arrow()))
        answers = self._answered(pa.Table.from_pandas(frame, preserve_index=False)).to_pandas()
        answers.index = frame.index
        return answers

    def _answered(self, table: Any) -> Any:
        import pyarrow as pa

        model = self.model
        self._check(model)
        if hasattr(model, "transform") and not hasattr(model, "predict"):
            return _filled(model, table)
        answers = self._predictions(model, table)
        kept = {name: table.column(name) for name in table.column_names} if self.keep else {}
        return pa.table({**kept, **answers})

    def _check(self, model: Any) -> None:
        """Refuses models that rows of a table say nothing to, and a level that would change nothing."""
        native, what = model.model_, None
        if isinstance(native, _unmiss.Recommender):
            what = "a model of ratings"
        elif isinstance(native, (_unmiss.InstancePredictor, _unmiss.InstanceFiller)):
            what = f"a model of {native.shape}"
        elif isinstance(native, _unmiss.Scorer):
            what = "a model that says how plausible rows are"
        if what is not None:
            raise TypeError(
                f"{self.path} holds {what}, and batches of rows are answered by models that predict or fill tables\n"
                f"hint: unmiss.load gives it as {type(model).__name__}, which takes what it learned from"
            )
        if self.level is not None and (hasattr(model, "classes_") or not hasattr(model, "predict")):
            raise ValueError(
                "level is for models that predict a number: this one has no intervals\n"
                "hint: leave level out; sets of classes are given by predict_set of unmiss.load(path)"
            )

    def _predictions(self, model: Any, table: Any) -> dict[str, Any]:
        import pyarrow as pa

        if hasattr(model, "classes_"):
            chances = model.predict_proba(table)
            words = np.asarray(model.classes_)[np.argmax(chances, axis=1)] if len(chances) else model.classes_[:0]
            found = {"prediction": pa.array(words)}
            columns = zip(model.classes_, chances.T)
            return found | {f"probability_{word}": pa.array(np.ascontiguousarray(own)) for word, own in columns}
        if self.level is None:
            return {"prediction": pa.array(model.predict(table))}
        ends = model.predict_interval(table, self.level)
        names = ("prediction", "lower", "upper")
        return {name: pa.array(np.ascontiguousarray(ends[:, place])) for place, name in enumerate(names)}

    def schema(self, schema: Any) -> Any:
        """The Arrow schema of what comes out for batches of a schema, which Spark and Dask ask for beforehand.

        Parameters
        ----------
        schema : pyarrow.Schema
            Of the batches.

        Returns
        -------
        schema : pyarrow.Schema
            Of the answers.
        """
        return self(schema.empty_table()).schema


def _filled(model: Any, table: Any) -> Any:
    """The table without holes, its types kept where they can hold what was filled."""
    import pyarrow as pa

    filled = model.transform(table)
    columns = []
    for field, column in zip(filled.schema, filled.columns):
        given = table.schema.field(field.name).type
        if given != field.type and not pa.types.is_null(given):
            try:
                column = column.cast(given)
            except pa.ArrowInvalid:
                pass
        columns.append(column)
    return pa.table(columns, names=filled.column_names)

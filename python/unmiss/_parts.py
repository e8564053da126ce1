"""Models whose fit is a sum over rows, from rows that lie in parts: on one machine, or where an engine has them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _frame, _unmiss
from ._base import as_json, as_seed
from ._engines import each
from ._files import load
from ._listen import Listener


def fit_parts(
    parts: Any,
    method: str = "gaussian",
    *,
    target: str | None = None,
    settings: Mapping[str, Any] | None = None,
    ignore: Sequence[str] = (),
    random_state: Any = 0,
    verbose: int = 0,
    engine: Any = None,
) -> Any:
    """Fit a method whose fit is a sum over rows, from rows in parts: map-reduce.

    Every part answers a few questions (what is in the columns, how far values are spread, sums of products), and the
    answers are added up. Sums are exact, so the model has the same bits however the rows are cut, whatever the engine,
    and with all rows in a single part. A fit in memory rounds on the way: its model answers the same but for the last
    digits.

    Parameters
    ----------
    parts : list, Dask data frame or Ray dataset
        Data frames or Arrow tables with the same columns, or paths of Parquet or CSV files that every worker can read.
        Partitions of Dask and blocks of Ray stay where they are.
    method : {"mean", "gaussian", "linear"}, default="gaussian"
        Two that fill holes, and one that predicts numbers.
    target : str, default=None
        For ``linear``: the column to predict.
    settings : dict, default=None
        Of the method, where they are not its defaults.
    ignore : list of str, default=()
        Columns left out.
    random_state : int, RandomState or None, default=0
        Which known values ``mean`` keeps for draws.
    verbose : int, default=0
        1 shows a bar.
    engine : {"ray", "dask"} or executor, default=None
        Where the parts answer, as for :func:`unmiss.compare`. None: where the parts lie, or here.

    Returns
    -------
    estimator : object
        A fitted imputer or regressor, as :func:`unmiss.load` gives it.

    Examples
    --------
    >>> import pandas as pd
    >>> import unmiss
    >>> rows = pd.DataFrame({"a": [1.0, 2.0, None, 4.0, 5.0, 6.0], "b": [2.0, None, 6.0, 8.0, 10.0, 12.0]})
    >>> cut = unmiss.fit_parts([rows[:2], rows[2:]])
    >>> whole = unmiss.fit_parts([rows])
    >>> bool((cut.transform(rows) == whole.transform(rows)).all().all())
    True
    """
    parts, engine = _parts(parts, engine)
    numbers = range(len(parts))

    def ask(question: str) -> list[str]:
        return each(engine, _answer, question, numbers, parts)

    recipe = (method, as_json(settings or {}), target, list(ignore))
    made = _unmiss.fit_parts(ask, *recipe, (as_seed(random_state), 1, Listener(verbose)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.unmiss")
        with open(path, "wb") as file:
            file.write(made)
        estimator = load(path)
    estimator.loaded_from_ = "these parts"
    return estimator


def _parts(parts: Any, engine: Any) -> tuple[list, Any]:
    """The parts one by one, and the engine that has them."""
    if hasattr(parts, "to_delayed"):
        return parts.to_delayed(), engine or "dask"
    if hasattr(parts, "to_arrow_refs"):
        return parts.to_arrow_refs(), engine or "ray"
    if _frame.is_frame(parts) or not isinstance(parts, Iterable) or isinstance(parts, (str, Mapping)):
        raise TypeError(f"parts is a {type(parts).__name__}, not several of them\nhint: give a list")
    parts = list(parts)
    if not parts:
        raise ValueError("there are no parts to learn from")
    return parts, engine


def _answer(question: str, number: int, part: Any) -> str:
    """What a part of the rows answers, on a worker."""
    if isinstance(part, (str, os.PathLike)):
        part = _read(os.fspath(part))
    rows = _frame.settled(part)
    table = _frame.to_table(rows, _frame.column_names(rows), _frame.APPLY)
    return _unmiss.part_answer(question, table, number)


def _read(path: str) -> Any:
    if path.endswith((".csv", ".csv.gz")):
        import pyarrow.csv

        # An empty cell is a hole, whatever is in the others of its column.
        return pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True))
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path)

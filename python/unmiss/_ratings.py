"""Ratings as they come in (sparse matrices, data frames, arrays) as columns of the library, and lists that go out.

Input                           Users and items
------------------------------  -----------------------------------------------------------------------
sparse matrix or array          positions of rows and columns; every stored cell is a rating, a zero too
data frame                      what stands in its columns of users and items
tuple of arrays                 what stands in the first and the second
array of two columns            what stands in them; ratings come apart

An id is any word or whole number; ``7`` and the word ``7`` are the same id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _frame


class Ids(NamedTuple):
    """A column of ids: whole numbers that are ids, or positions among words, or among all numbers below a count."""

    name: str
    values: np.ndarray
    words: list[str] | None = None
    count: int | None = None


class Columns(NamedTuple):
    """Names of the columns of a data frame."""

    user: str
    item: str
    rating: str
    time: str | None


class Ratings(NamedTuple):
    """Who rated what and how: NaN where there is no rating, None where none was given at all."""

    users: Ids
    items: Ids
    values: np.ndarray | None
    times: Any = None

    def in_order_of_time(self) -> Ratings:
        """The latest last, since of several ratings for one pair the last counts."""
        if self.times is None:
            return self
        order = np.argsort(_moments(self.times), kind="stable")
        users, items = (ids._replace(values=ids.values[order]) for ids in (self.users, self.items))
        return Ratings(users, items, self.values[order])


FORMS = (
    "a scipy sparse matrix, a data frame with columns of users, items and ratings, or three arrays "
    "(users, items, ratings)"
)


def is_sparse(X: Any) -> bool:
    """Whether it is a sparse matrix or array of scipy."""
    import scipy.sparse

    return scipy.sparse.issparse(X)


def frame_kind(X: Any) -> str:
    """Which kind of data frame goes out when this came in."""
    if not _frame.is_frame(X):
        return "any"
    return "pandas" if _frame._is_pandas(X) else "polars" if _frame._is_polars(X) else "arrow"


def ratings_of(X: Any, y: Any, columns: Columns) -> Ratings:
    """Ratings in any of the forms; with y, X has pairs and y their ratings."""
    if y is not None:
        if is_sparse(X):
            raise ValueError("a sparse matrix has its ratings in it, so y says nothing\nhint: leave y out")
        pairs = pairs_of(X, columns)
        return _equally_long(pairs._replace(values=_numbers(y, columns.rating)))
    if is_sparse(X):
        return _of_matrix(X)
    if _frame.is_frame(X):
        X = _frame.settled(X)
        values = _numbers(_column(X, "rating", columns), columns.rating)
        times = None if columns.time is None else _column(X, "time", columns)
        return pairs_of(X, columns)._replace(values=values, times=times)
    if isinstance(X, tuple) and len(X) == 3:
        users, items, values = X
        ratings = Ratings(_ids(users, columns.user), _ids(items, columns.item), _numbers(values, columns.rating))
        return _equally_long(ratings)
    raise _strange(X)


def pairs_of(X: Any, columns: Columns) -> Ratings:
    """Pairs of users and items."""
    if is_sparse(X):
        raise TypeError("expected are pairs of users and items, not a matrix\nhint: give (users, items), as arrays")
    if _frame.is_frame(X):
        X = _frame.settled(X)
        users, items = _column(X, "user", columns), _column(X, "item", columns)
        return Ratings(_ids(users, columns.user), _ids(items, columns.item), None)
    if isinstance(X, tuple) and len(X) in (2, 3) and all(np.ndim(column) == 1 for column in X):
        return _equally_long(Ratings(_ids(X[0], columns.user), _ids(X[1], columns.item), None))
    pairs = np.asarray(X)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(
            f"expected are pairs of users and items, not an array of shape {pairs.shape}\n"
            "hint: give two arrays (users, items), an array of two columns, or a data frame"
        )
    return Ratings(_ids(pairs[:, 0], columns.user), _ids(pairs[:, 1], columns.item), None)


def given_of(ratings: Any, columns: Columns) -> tuple[Ids, np.ndarray]:
    """Items that somebody rated, and how: a mapping, a data frame, or two arrays."""
    if isinstance(ratings, Mapping):
        items, values = list(ratings.keys()), list(ratings.values())
    elif _frame.is_frame(ratings):
        ratings = _frame.settled(ratings)
        items, values = _column(ratings, "item", columns), _column(ratings, "rating", columns)
    elif isinstance(ratings, tuple) and len(ratings) == 2:
        items, values = ratings
    else:
        raise TypeError(
            f"ratings of somebody new can't be a {type(ratings).__name__}\n"
            "hint: give them by item, such as {'Heat': 4.5, 'Alien': 5}"
        )
    items, values = _ids(items, columns.item), _numbers(values, columns.rating)
    if len(items.values) != len(values):
        raise ValueError(f"items and ratings are not equally many: {len(items.values)} and {len(values)}")
    return items, values


def ids_of(values: Any, name: str) -> Ids:
    """Some ids, or a single one."""
    return _ids([values] if np.ndim(values) == 0 else values, name)


def _of_matrix(X: Any) -> Ratings:
    if X.ndim != 2:
        raise ValueError(f"expected is a matrix of users and items, not an array of {X.ndim} dimension(s)")
    if X.format in ("bsr", "dia"):
        # These store zeros where there is nothing: a block or a diagonal is stored whole.
        X = X.tocsr()
        X.eliminate_zeros()
    cells = X.tocoo(copy=False)
    users = Ids("user", np.ascontiguousarray(cells.row), count=X.shape[0])
    items = Ids("item", np.ascontiguousarray(cells.col), count=X.shape[1])
    return Ratings(users, items, _numbers(cells.data, "rating"))


def _column(X: Any, what: str, columns: Columns) -> Any:
    name = getattr(columns, what)
    names = list(X.columns) if hasattr(X, "columns") and frame_kind(X) != "arrow" else list(X.column_names)
    if name not in names:
        shown = ", ".join(map(str, names[:8])) + (", ..." if len(names) > 8 else "")
        hint = f"say which it is with {what}=...; the columns are: {shown}"
        if len(names) > 8 and frame_kind(X) == "pandas":
            long = 'X.stack().dropna().rename_axis(["user", "item"]).reset_index(name="rating")'
            hint += f"\nhint: of a frame with users as rows and items as columns, give {long}"
        raise ValueError(f"no column is called `{name}`\nhint: {hint}")
    return X[name]


def _equally_long(ratings: Ratings) -> Ratings:
    lengths = [len(ratings.users.values), len(ratings.items.values)]
    lengths += [] if ratings.values is None else [len(ratings.values)]
    if len(set(lengths)) > 1:
        what = "users and items" if len(lengths) == 2 else "users, items and ratings"
        raise ValueError(f"{what} are not equally many: {', '.join(map(str, lengths))}")
    return ratings


def _strange(X: Any) -> Exception:
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] != 3:
        return ValueError(
            f"a dense array of shape {X.shape} does not say which cells are known\n"
            "hint: where 0 means unknown, give scipy.sparse.csr_array(X); where NaN does, give "
            "(*np.nonzero(~np.isnan(X)), X[~np.isnan(X)])"
        )
    if isinstance(X, np.ndarray):
        return ValueError(f"expected is {FORMS}\nhint: columns of an array are given as tuple(X.T)")
    if isinstance(X, (list, tuple)):
        return ValueError(f"expected is {FORMS}\nhint: a list of (user, item, rating) is given as tuple(zip(*X))")
    return TypeError(f"a {type(X).__name__} can't be read as ratings: expected is {FORMS}")


# ------------------------------------------------------------------------------------------------ columns


def _ids(values: Any, name: str) -> Ids:
    """Ids of any container; no loop over rows but those of numpy, pandas, polars and Arrow."""
    pandas, polars, pyarrow = (_frame._loaded(package) for package in ("pandas", "polars", "pyarrow"))
    if polars is not None and isinstance(values, polars.Series):
        return _polars_ids(polars, values, name)
    if pyarrow is not None and isinstance(values, (pyarrow.Array, pyarrow.ChunkedArray)):
        return _arrow_ids(pyarrow, values, name)
    if pandas is not None and isinstance(values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        return _pandas_ids(pandas, values, name)
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(f"column `{name}`: expected is one id for each row, not an array of shape {values.shape}")
    if values.dtype.kind in "iuf":
        return _numbered(values, name)
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8")
    cells = values.tolist()
    places = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
    return _worded(np.fromiter(map(places.__getitem__, cells), np.int64, len(cells)), list(places), name)


def _pandas_ids(pandas: Any, values: Any, name: str) -> Ids:
    values = pandas.Series(values)
    if pandas.api.types.is_integer_dtype(values.dtype) and not values.hasnans:
        return _numbered(values.to_numpy(), name)
    if pandas.api.types.is_float_dtype(values.dtype) or pandas.api.types.is_integer_dtype(values.dtype):
        return _numbered(values.to_numpy(dtype=np.float64, na_value=np.nan), name)
    codes, words = pandas.factorize(values, use_na_sentinel=True)
    return _worded(codes, list(words), name)


def _polars_ids(polars: Any, values: Any, name: str) -> Ids:
    if values.dtype.is_integer() and values.null_count() == 0:
        return _numbered(values.to_numpy(), name)
    if values.dtype.is_numeric():
        return _numbered(values.cast(polars.Float64).fill_null(float("nan")).to_numpy(), name)
    values = values.cast(polars.String)
    words = values.drop_nulls().unique()
    places = polars.int_range(len(words), eager=True)
    codes = values.replace_strict(words, places, default=-1, return_dtype=polars.Int64)
    return _worded(codes.fill_null(-1).to_numpy(), words.to_list(), name)


def _arrow_ids(pyarrow: Any, values: Any, name: str) -> Ids:
    import pyarrow.compute

    if isinstance(values, pyarrow.ChunkedArray):
        values = values.combine_chunks()
    kinds = pyarrow.types
    if kinds.is_integer(values.type) and values.null_count == 0:
        return _numbered(values.to_numpy(zero_copy_only=False), name)
    if kinds.is_integer(values.type) or kinds.is_floating(values.type):
        return _numbered(values.cast("float64").to_numpy(zero_copy_only=False), name)
    if not kinds.is_dictionary(values.type):
        values = values.dictionary_encode()
    codes = pyarrow.compute.fill_null(values.indices.cast("int64"), -1).to_numpy(zero_copy_only=False)
    return _worded(codes, values.dictionary.to_pylist(), name)


def _numbered(values: np.ndarray, name: str) -> Ids:
    """Numbers that are ids. Whole ones stay numbers, also where holes elsewhere made a column one of fractions."""
    if values.dtype.kind == "f":
        known = np.isfinite(values)
        if known.all() and (values == np.floor(values)).all() and (np.abs(values) < 2.0**53).all():
            return Ids(name, values.astype(np.int64))
    elif values.dtype.kind == "i" or values.size == 0 or values.max() < 2**63:
        small = values.dtype.kind == "i" and values.dtype.itemsize <= 4
        return Ids(name, np.ascontiguousarray(values, dtype=np.int32 if small else np.int64))
    words, codes = np.unique(values, return_inverse=True)
    return _worded(codes, words.tolist(), name)


def _worded(codes: np.ndarray, words: list, name: str) -> Ids:
    """Positions among words. Words of no row are no ids; missing and empty ones are none."""
    codes = np.asarray(codes, dtype=np.int64)
    used = np.bincount(codes[codes >= 0], minlength=len(words)) > 0
    used &= np.fromiter((not _frame.is_missing(word) and word != "" for word in words), bool, len(words))
    places = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
    return Ids(name, places[codes], [_frame.word(word) for word, kept in zip(words, used) if kept])


def _numbers(values: Any, name: str) -> np.ndarray:
    """Ratings as numbers, NaN where there is none."""
    pandas, polars = _frame._loaded("pandas"), _frame._loaded("polars")
    try:
        if pandas is not None and isinstance(values, pandas.Series):
            numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        elif polars is not None and isinstance(values, polars.Series):
            numbers = values.cast(polars.Float64).fill_null(float("nan")).to_numpy()
        elif hasattr(values, "combine_chunks"):
            numbers = values.cast("float64").combine_chunks().to_numpy(zero_copy_only=False)
        else:
            numbers = np.asarray(values, dtype=np.float64)
    except Exception as error:
        raise _no_number(values, name, error) from None
    if numbers.ndim != 1:
        raise ValueError(f"column `{name}`: expected is one rating for each row, not an array of shape {numbers.shape}")
    return np.ascontiguousarray(numbers, dtype=np.float64)


def _no_number(values: Any, name: str, error: Exception) -> Exception:
    """An error that names the first cell that is no number."""
    cells = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    for row, cell in enumerate(cells, 1):
        try:
            np.float64(np.nan if _frame.is_missing(cell) else cell)
        except (TypeError, ValueError):
            return ValueError(
                f"row {row}, column `{name}`: `{cell}` is not a number\n"
                "hint: make it a number, or NaN if there is no rating"
            )
    return ValueError(f"column `{name}` can't be read as numbers: {error}")


def _moments(times: Any) -> np.ndarray:
    """Times as something that can be sorted; those that are missing come first."""
    times = np.asarray(times)
    if times.dtype.kind == "M":
        return times.astype(np.int64)
    if times.dtype == object:
        times = np.array(["" if _frame.is_missing(time) else str(time) for time in times.tolist()])
    return np.where(np.isnan(times), -np.inf, times) if times.dtype.kind == "f" else times


# ------------------------------------------------------------------------------------------------ and back


def listing(kind: str, columns: dict[str, tuple[np.ndarray, np.ndarray | None]]) -> Any:
    """A data frame of the given kind. A column is ids with positions among them, or values without."""
    if kind == "any":
        kind = _installed()
    if kind == "arrow":
        import pyarrow

        def column(values: np.ndarray, places: np.ndarray | None) -> Any:
            array = pyarrow.array(values)
            return array if places is None else array.take(pyarrow.array(places))

        return pyarrow.table({name: column(*entry) for name, entry in columns.items()})
    if kind == "polars":
        import polars

        def column(values: np.ndarray, places: np.ndarray | None) -> Any:
            series = polars.Series(values.tolist() if values.dtype == object else values)
            return series if places is None else series.gather(places)

        return polars.DataFrame({name: column(*entry) for name, entry in columns.items()})
    import pandas

    return pandas.DataFrame(
        {name: values if places is None else values[places] for name, (values, places) in columns.items()}
    )


def _installed() -> str:
    import importlib.util

    for package, kind in (("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "arrow")):
        if importlib.util.find_spec(package) is not None:
            return kind
    raise ImportError("a list of items is a data frame, and none is installed\nhint: install pandas, polars or pyarrow")

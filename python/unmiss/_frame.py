"""What comes in (arrays, pandas, polars, Arrow) as columns of the library, and what goes out again.

Type of a column        Becomes
----------------------  ------------------------------------------------------------------
number in an array      number (whole, if the array is of whole numbers)
number in a data frame  number (whole, if all known ones are); for the functions that look at
                        a whole table (describe, compare, Hide) as in a file: of two values a
                        category
truth value             category
word, category          category; of very many different words free text, of whose words
                        predictors learn and which nothing fills
ordered category        category, of whose rank predictors learn
date                    date: predictors learn from its parts (year, month, weekday, hour,
                        days since the first), and nothing fills it
time, span of time      left out

Missing are NaN, None, ``pandas.NA``, ``NaT`` and nulls; a zero and an empty word are values.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _unmiss


def is_frame(X: Any) -> bool:
    """Whether it has named columns of their own types."""
    return not isinstance(X, np.ndarray) and (_is_pandas(X) or _is_polars(X) or hasattr(X, "__arrow_c_stream__"))


def _loaded(name: str) -> Any:
    """A package, if whoever made the data has loaded it."""
    return sys.modules.get(name)


def _is_pandas(X: Any) -> bool:
    pandas = _loaded("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _is_polars(X: Any) -> bool:
    polars = _loaded("polars")
    return polars is not None and isinstance(X, polars.DataFrame)


def _as_arrow(X: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise TypeError(
            f"{type(X).__name__} is an Arrow table\nhint: install pyarrow, or give pandas, polars or an array"
        ) from None
    return X if isinstance(X, pyarrow.Table) else pyarrow.table(X)


def settled(X: Any) -> Any:
    """A frame that can be worked with: whatever speaks Arrow becomes an Arrow table."""
    return X if _is_pandas(X) or _is_polars(X) else _as_arrow(X)


def column_names(X: Any) -> list[str]:
    """Names of the columns; x0, x1, ... where there are none."""
    if _is_pandas(X):
        names = list(X.columns)
    elif _is_polars(X):
        names = list(X.columns)
    elif is_frame(X):
        names = list(settled(X).column_names)
    else:
        return [f"x{place}" for place in range(X.shape[1])]
    if not all(isinstance(name, str) for name in names):
        return [f"x{place}" for place in range(len(names))]
    return names


def is_numeric_array(X: Any) -> bool:
    """Whether it is an array of numbers that is read in place."""
    return isinstance(X, np.ndarray) and X.dtype.kind in "fiub"


def plain(X: np.ndarray) -> np.ndarray:
    """The array as float64 or float32 in this machine's byte order; itself if it is that already."""
    if X.dtype in (np.float64, np.float32) and X.dtype.isnative and X.flags.aligned:
        return X
    return np.ascontiguousarray(X, dtype=np.float64)


#: Why a table is made: to learn from it, to apply what was learned, or to look at the table itself.
LEARN, APPLY, LOOK = "learn", "apply", "look"


def to_table(X: Any, names: list[str], why: str, further: list[tuple] | None = None) -> Any:
    """The library's table. To apply, kinds are left to the model, which knows them."""
    further = further or []
    if is_numeric_array(X):
        kind = "real" if X.dtype.kind == "f" else "integer"
        return _unmiss.Table.matrix(plain(X), names, kind, further)
    return _unmiss.Table.columns([*columns(X, names, why), *further])


def columns(X: Any, names: list[str], why: str) -> list[tuple]:
    """Columns as (name, what, values, levels)."""
    if _is_pandas(X):
        return [_pandas_column(name, X.iloc[:, place], why) for place, name in enumerate(names)]
    if _is_polars(X):
        return [_polars_column(name, X.to_series(place), why) for place, name in enumerate(names)]
    if is_frame(X):
        return [_arrow_column(name, X.column(place), why) for place, name in enumerate(names)]
    return [array_column(name, X[:, place], why) for place, name in enumerate(names)]


def _numbers(name: str, values: Any, why: str) -> tuple:
    # A number stays a number while learning: a part of the rows may have two values where the whole has more.
    what = {LEARN: "number", APPLY: "real", LOOK: "found"}[why]
    return (name, what, np.asarray(values, dtype=np.float64), None)


def _dates(name: str, moments: Any) -> tuple:
    """A column of dates, as text of ISO 8601."""
    moments = np.asarray(moments, dtype="datetime64[us]")
    known = ~np.isnat(moments)
    different, places = np.unique(moments[known], return_inverse=True)
    codes = np.full(len(moments), -1, dtype=np.int64)
    codes[known] = places
    whole = bool((different == different.astype("datetime64[D]")).all())
    words = np.datetime_as_string(different, unit="D" if whole else "s", casting="unsafe")
    return (name, "date", codes, [str(text) for text in words])


def orders(X: Any, names: list[str]) -> dict[str, list[str]]:
    """The levels of ordered pandas categories, from the least to the most."""
    if not _is_pandas(X):
        return {}
    dtypes = ((name, X.iloc[:, place].dtype) for place, name in enumerate(names))
    found = ((name, dtype) for name, dtype in dtypes if getattr(dtype, "ordered", False))
    return {name: [word(level) for level in dtype.categories] for name, dtype in found if len(dtype.categories) > 1}


def _codes(name: str, codes: Any, levels: list[str], category: bool) -> tuple:
    return (name, "category" if category else "words", np.asarray(codes, dtype=np.int64), levels)


def is_missing(value: Any) -> bool:
    """Whether a single value is a hole."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and value != value


def word(value: Any) -> str:
    """A value as the library writes it: whole numbers without a point."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        value = float(value)
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def array_column(name: str, values: np.ndarray, why: str) -> tuple:
    """A column of an array of objects or words, or a single array of any type."""
    if values.dtype.kind in "fiu":
        kind = "real" if values.dtype.kind == "f" else "integer"
        return (name, kind, np.asarray(values, dtype=np.float64), None)
    if values.dtype.kind == "M":
        return _dates(name, values)
    if values.dtype.kind == "m":
        return (name, "date", ~np.isnat(values), None)
    cells = values.tolist()
    known = [cell for cell in cells if not is_missing(cell)]
    number = (int, float, np.integer, np.floating)
    if all(isinstance(cell, number) and not isinstance(cell, bool) for cell in known):
        whole = bool(known) and all(isinstance(cell, (int, np.integer)) for cell in known)
        filled = [np.nan if is_missing(cell) else float(cell) for cell in cells]
        return (name, "integer" if whole else "real", np.array(filled, dtype=np.float64), None)
    return _objects(name, cells, why)


def _objects(name: str, cells: list, why: str) -> tuple:
    places: dict[str, int] = {}
    codes = np.empty(len(cells), dtype=np.int64)
    for row, cell in enumerate(cells):
        codes[row] = -1 if is_missing(cell) else places.setdefault(word(cell), len(places))
    return _codes(name, codes, list(places), why == APPLY)


def _pandas_column(name: str, series: Any, why: str) -> tuple:
    pandas = _loaded("pandas")
    kinds = pandas.api.types
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return _codes(name, series.cat.codes.to_numpy(), [word(level) for level in series.cat.categories], True)
    if kinds.is_bool_dtype(dtype):
        missing = series.isna().to_numpy()
        values = series.fillna(False).astype(bool).to_numpy()
        return _codes(name, np.where(missing, -1, values.astype(np.int64)), ["False", "True"], True)
    if kinds.is_complex_dtype(dtype):
        raise ValueError(f"column `{name}`: complex numbers can't be learned from")
    if kinds.is_numeric_dtype(dtype):
        return _numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan), why)
    if kinds.is_datetime64_any_dtype(dtype):
        # As it is written, whatever its time zone.
        return _dates(name, series.dt.tz_localize(None).to_numpy())
    if isinstance(dtype, pandas.PeriodDtype):
        return _dates(name, series.dt.start_time.to_numpy())
    if kinds.is_timedelta64_dtype(dtype):
        return (name, "date", series.notna().to_numpy(), None)
    codes, levels = pandas.factorize(series, use_na_sentinel=True)
    levels = list(levels)
    number = (int, float, np.integer, np.floating)
    if levels and all(isinstance(level, number) and not isinstance(level, bool) for level in levels):
        values = np.array([float(level) for level in levels] + [np.nan])
        return _numbers(name, values[codes], why)
    return _codes(name, codes, [word(level) for level in levels], why == APPLY)


def _polars_column(name: str, series: Any, why: str) -> tuple:
    polars = _loaded("polars")
    dtype = series.dtype
    if dtype.is_numeric():
        return _numbers(name, series.cast(polars.Float64).fill_null(float("nan")).to_numpy(), why)
    if dtype == polars.Boolean:
        return _codes(name, series.cast(polars.Int64).fill_null(-1).to_numpy(), ["False", "True"], True)
    if dtype == polars.Date or isinstance(dtype, polars.Datetime):
        local = series.dt.replace_time_zone(None) if getattr(dtype, "time_zone", None) else series
        return _dates(name, local.cast(polars.Datetime("us")).to_numpy())
    if dtype.is_temporal():
        return (name, "date", series.is_not_null().to_numpy(), None)
    if dtype == polars.Null:
        return _numbers(name, np.full(len(series), np.nan), why)
    if dtype in (polars.Categorical, polars.Enum):
        return _categories(_objects(name, series.cast(polars.String).to_list(), why))
    return _objects(name, series.to_list(), why)


def _categories(column: tuple) -> tuple:
    name, _, codes, levels = column
    return (name, "category", codes, levels)


def _arrow_column(name: str, column: Any, why: str) -> tuple:
    import pyarrow
    import pyarrow.compute

    kinds = pyarrow.types
    column = column.combine_chunks()
    kind = column.type
    if kinds.is_boolean(kind):
        codes = pyarrow.compute.fill_null(column.cast("int64"), -1)
        return _codes(name, codes.to_numpy(zero_copy_only=False), ["False", "True"], True)
    if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind) or kinds.is_null(kind):
        return _numbers(name, column.cast("float64").to_numpy(zero_copy_only=False), why)
    if kinds.is_date(kind) or (kinds.is_timestamp(kind) and kind.tz is None):
        return _dates(name, column.cast(pyarrow.timestamp("us")).to_numpy(zero_copy_only=False))
    if kinds.is_temporal(kind):
        return (name, "date", column.is_valid().to_numpy(zero_copy_only=False), None)
    column = _objects(name, column.to_pylist(), why)
    return _categories(column) if kinds.is_dictionary(kind) else column


# ---------------------------------------------------------------------------------------------- and back


def spellings(X: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """For columns whose categories are no words: the value that each word stands for."""
    found: dict[str, dict[str, Any]] = {}
    for place, name in enumerate(names):
        if _is_pandas(X):
            series = X.iloc[:, place]
            pandas = _loaded("pandas")
            if isinstance(series.dtype, pandas.CategoricalDtype):
                values = list(series.cat.categories)
            elif series.dtype == object:
                values = list(series.dropna().unique())
            else:
                continue
        elif isinstance(X, np.ndarray) and X.dtype == object:
            values = [value for value in X[:, place] if not is_missing(value)]
        else:
            continue
        others = {word(value): value for value in values if not isinstance(value, str)}
        if others:
            found[name] = others
    return found


class Cells:
    """Filled cells of one column: their rows, and numbers or words."""

    def __init__(self, cells: tuple, names: list[str], spelling: dict[str, dict[str, Any]]):
        self.place, self.rows, self.numbers, self.words = cells
        self.spelling = spelling.get(names[self.place], {})

    def as_words(self) -> list[str]:
        """One word per cell."""
        if self.words is None:
            return [word(number) for number in self.numbers]
        codes, levels = self.words
        return [levels[code] for code in codes]

    def as_numbers(self) -> np.ndarray:
        """One number per cell."""
        if self.words is None:
            return self.numbers
        codes, levels = self.words
        return np.array([_number(level) for level in levels])[codes]

    def are_numbers(self) -> bool:
        """Whether all cells can be numbers; words may come into a column that is all missing in new rows."""
        if self.words is None:
            return True
        try:
            self.as_numbers()
        except ValueError:
            return False
        return True

    def as_values(self) -> list:
        """One value per cell, of the type that the column has elsewhere."""
        if self.words is None:
            return self.numbers.tolist()
        return [self.spelling.get(level, level) for level in self.as_words()]


def _number(level: str) -> float:
    return float(level == "True") if level in ("True", "False") else float(level)


def fill(X: Any, cells: list[Cells]) -> Any:
    """The same container with these cells filled; every other cell stays as it is."""
    if _is_pandas(X):
        full = X.copy()
        for column in cells:
            full.isetitem(column.place, _filled_pandas(X.iloc[:, column.place], column))
        return full
    if _is_polars(X):
        full = X.clone()
        for column in cells:
            full = full.replace_column(column.place, _filled_polars(X.to_series(column.place), column))
        return full
    if is_frame(X):
        full = X
        for column in cells:
            name = full.column_names[column.place]
            full = full.set_column(column.place, name, _filled_arrow(full.column(column.place), column))
        return full
    full = np.array(X, dtype=object) if cells else X.copy()
    for column in cells:
        values = np.empty(len(column.rows), dtype=object)
        values[:] = column.as_values()
        full[column.rows, column.place] = values
    return full


def _filled_pandas(series: Any, column: Cells) -> Any:
    pandas = _loaded("pandas")
    kinds = pandas.api.types
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        values = column.as_values()
        new = [value for value in dict.fromkeys(values) if value not in dtype.categories]
        filled = series.cat.add_categories(new) if new else series.copy()
        filled.iloc[column.rows] = values
        return filled
    if kinds.is_bool_dtype(dtype):
        filled = series.copy()
        filled.iloc[column.rows] = column.as_numbers().astype(bool)
        return filled
    if kinds.is_numeric_dtype(dtype) and column.are_numbers():
        numbers = column.as_numbers()
        if kinds.is_integer_dtype(dtype):
            if not (numbers == np.round(numbers)).all():
                series = series.astype("Float64")
            else:
                numbers = numbers.astype(np.int64)
        filled = series.copy()
        filled.iloc[column.rows] = numbers
        return filled
    filled = series.astype(object) if kinds.is_numeric_dtype(dtype) else series.copy()
    values = column.as_values()
    if column.words is not None and set(map(type, series.dropna())) == {bool}:
        values = [value == "True" for value in column.as_words()]
    filled.iloc[column.rows] = values
    return filled


def _filled_polars(series: Any, column: Cells) -> Any:
    polars = _loaded("polars")
    dtype = series.dtype
    values = series.cast(polars.String).to_list() if dtype in (polars.Categorical, polars.Enum) else series.to_list()
    if not column.are_numbers() and (dtype.is_numeric() or dtype == polars.Null):
        filled, dtype = column.as_words(), polars.String
    elif dtype.is_numeric():
        filled = column.as_numbers()
        whole = dtype.is_integer() and (filled == np.round(filled)).all()
        filled = [int(number) for number in filled] if whole else filled.tolist()
        if dtype.is_integer() and not whole:
            dtype = polars.Float64
    elif dtype == polars.Boolean:
        filled = [bool(number) for number in column.as_numbers()]
    elif dtype == polars.Null:
        filled, dtype = column.as_numbers().tolist(), polars.Float64
    else:
        filled = column.as_words()
    for row, value in zip(column.rows.tolist(), filled):
        values[row] = value
    return polars.Series(series.name, values, dtype=dtype)


def _filled_arrow(array: Any, column: Cells) -> Any:
    import pyarrow

    kinds = pyarrow.types
    kind = array.type
    values = array.to_pylist()
    if kinds.is_boolean(kind):
        filled = [bool(number) for number in column.as_numbers()]
    elif kinds.is_integer(kind) and column.are_numbers():
        numbers = column.as_numbers()
        whole = bool((numbers == np.round(numbers)).all())
        filled = [int(number) for number in numbers] if whole else numbers.tolist()
        kind = kind if whole else pyarrow.float64()
    elif not column.are_numbers() and not kinds.is_dictionary(kind):
        filled = column.as_words()
        kind = kind if kinds.is_string(kind) or kinds.is_large_string(kind) else pyarrow.string()
    elif kinds.is_null(kind):
        filled, kind = column.as_numbers().tolist(), pyarrow.float64()
    elif kinds.is_floating(kind) or kinds.is_decimal(kind):
        filled = column.as_numbers().tolist()
    else:
        filled = column.as_words()
    for row, value in zip(column.rows.tolist(), filled):
        values[row] = value
    if kinds.is_dictionary(kind):
        return pyarrow.array(values, type=kind.value_type).dictionary_encode()
    return pyarrow.array(values, type=kind)


def blanked(X: Any, rows: np.ndarray, known: np.ndarray, missing: Any = np.nan) -> Any:
    """The given rows of the same container; cells whose mark in `known` is false become holes."""
    if _is_pandas(X):
        some = X.iloc[rows]
        if known.all():
            return some
        if missing == missing:
            return some.where(known, missing)
        return some.mask(~known)
    if _is_polars(X):
        some = X[rows]
        polars = _loaded("polars")
        fill = None if missing != missing else missing
        for place in range(some.width):
            if not known[:, place].all():
                series = some.to_series(place)
                mask = polars.Series(known[:, place])
                blank = polars.Series([fill] * len(series), dtype=series.dtype, strict=False)
                some = some.replace_column(place, series.zip_with(mask, blank))
        return some
    if is_frame(X):
        import pyarrow
        import pyarrow.compute

        some = X.take(pyarrow.array(rows))
        fill = None if missing != missing else missing
        for place, name in enumerate(some.column_names):
            column = some.column(place)
            blank = pyarrow.scalar(fill, type=column.type)
            marks = pyarrow.array(known[:, place])
            some = some.set_column(place, name, pyarrow.compute.if_else(marks, column, blank))
        return some
    some = X[rows]
    if some.dtype.kind in "iub" and not known.all():
        some = some.astype(np.float64)
    elif some.dtype.kind in "US":
        some = some.astype(object)
    some[~known] = missing
    return some

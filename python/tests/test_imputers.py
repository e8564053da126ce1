"""Imputers: containers, kinds, limits, draws, what is left."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import unmiss


@pytest.fixture
def holes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1)) + 0.2 * rng.normal(size=(200, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


@pytest.fixture
def ward():
    """A frame with every type."""
    rng = np.random.default_rng(1)
    age = rng.integers(20, 90, 120).astype(float)
    frame = pd.DataFrame(
        {
            "fever": 36 + age / 40 + rng.normal(size=120) * 0.1,
            "age": pd.array(age, dtype="Int64"),
            "sex": np.where(age > 50, "m", "f").astype(object),
            "ward": pd.Categorical(np.where(age > 60, "heart", "lungs"), categories=["lungs", "heart", "skin"]),
            "grade": pd.Categorical((age // 30).astype(int)),
            "smokes": pd.array(age > 40, dtype="boolean"),
            "given": pd.date_range("2020-01-01", periods=120),
        },
        index=[f"p{row}" for row in range(120)],
    )
    for column in frame.columns[:-1]:
        frame.loc[rng.random(120) < 0.2, column] = None
    return frame


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_keep_known_cells_and_type(holes, order, dtype):
    X = np.array(holes, dtype=dtype, order=order)
    before = X.copy()
    full = unmiss.GaussianImputer().fit_transform(X)
    assert full.dtype == dtype and not np.isnan(full).any()
    known = ~np.isnan(X)
    assert (full[known] == X[known]).all()
    np.testing.assert_array_equal(X, before)


def test_a_view_with_strides_is_read_as_it_is(holes):
    wide = np.repeat(np.repeat(holes, 2, axis=0), 3, axis=1)
    model = unmiss.GaussianImputer().fit(holes)
    np.testing.assert_array_equal(model.transform(wide[::2, ::3]), model.transform(holes))
    np.testing.assert_array_equal(model.transform(holes[::-1]), model.transform(holes)[::-1])


@pytest.mark.parametrize("name", unmiss._estimators.IMPUTERS)
def test_every_imputer_fills_every_type(ward, name):
    make = unmiss._estimators.IMPUTERS[name]
    quick = {"epochs": 5} if "epochs" in make().get_params() else {}
    full = make(**quick).fit_transform(ward)
    assert not full.isna().any().any()
    assert (full.dtypes == ward.dtypes).all(), full.dtypes
    assert list(full.index) == list(ward.index) and list(full.columns) == list(ward.columns)
    pd.testing.assert_frame_equal(full.where(ward.notna()), ward.where(ward.notna()), check_dtype=False)
    assert set(full["sex"]) == {"m", "f"} and set(full["grade"]) <= {0, 1, 2}


def test_polars_and_arrow_come_back_as_they_were(ward):
    plain = ward.drop(columns=["grade"]).reset_index(drop=True)
    frame = pl.from_pandas(plain)
    full = unmiss.GaussianImputer().fit_transform(frame)
    assert isinstance(full, pl.DataFrame) and full.schema == frame.schema
    assert sum(full.null_count().row(0)) == 0
    table = pa.Table.from_pandas(plain)
    filled = unmiss.GaussianImputer().fit_transform(table)
    assert isinstance(filled, pa.Table) and filled.column_names == table.column_names
    assert all(column.null_count == 0 for column in filled.columns)
    # Three ways to hold the same values, one answer.
    same = unmiss.GaussianImputer().fit_transform(plain)
    assert full["age"].to_list() == same["age"].to_list() == filled["age"].to_pylist()
    np.testing.assert_array_equal(full["fever"].to_numpy(), same["fever"].to_numpy())
    np.testing.assert_array_equal(filled["fever"].to_numpy(), same["fever"].to_numpy())


def test_objects_in_an_array():
    X = np.array([[1, "a"], [2, "b"], [None, "a"], [4, None], [5, "b"], [np.nan, "a"]], dtype=object)
    full = unmiss.MeanImputer().fit_transform(X)
    assert full.dtype == object and full[3, 1] == "a" and full[2, 0] == 3
    assert full[0, 1] == "a" and full[1, 0] == 2


def test_new_rows_one_row_unseen_words(ward):
    model = unmiss.GaussianImputer().fit(ward)
    one = ward.iloc[[3]].copy()
    one[["fever", "sex"]] = np.nan
    assert not model.transform(one).isna().any().any()
    strange = ward.iloc[:5].copy()
    strange["sex"] = ["x", "m", None, "f", "m"]
    with pytest.warns(unmiss.UnmissWarning, match="`sex` has values that training never saw"):
        full = model.transform(strange)
    assert full["sex"].iloc[0] == "x" and full["sex"].iloc[2] in ("m", "f")


def test_a_column_that_was_complete_is_filled(holes):
    X = holes.copy()
    X[:, 0] = np.where(np.isnan(X[:, 0]), 0.0, X[:, 0])
    model = unmiss.GaussianImputer().fit(X)
    new = X[:10].copy()
    new[:, 0] = np.nan
    assert not np.isnan(model.transform(new)).any()


def test_what_cannot_be_filled_is_told(holes):
    X = holes.copy()
    X[:, 2] = np.nan
    with pytest.raises(ValueError, match="200 cells could not be filled: column `x2`.*\nhint: .*unfilled='keep'"):
        unmiss.GaussianImputer().fit_transform(X)
    with pytest.warns(unmiss.UnmissWarning, match="`x2`"):
        full = unmiss.GaussianImputer(unfilled="keep").fit_transform(X)
    assert full.shape == X.shape and np.isnan(full[:, 2]).all() and not np.isnan(full[:, [0, 1, 3]]).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unmiss.GaussianImputer(ignore=[2]).fit_transform(X)
    with pytest.raises(ValueError, match="unfilled='drop'"):
        unmiss.GaussianImputer(unfilled="drop").fit(holes)


def test_limits(holes):
    high = np.nanmax(holes)
    full = unmiss.GaussianImputer(within={0: (high + 1, None)}).fit_transform(holes)
    assert (full[np.isnan(holes[:, 0]), 0] == high + 1).all()
    with pytest.raises(ValueError, match="can't lie between"):
        unmiss.GaussianImputer(within={0: (2, 1)}).fit(holes)
    with pytest.raises(ValueError, match="no column `y`"):
        unmiss.GaussianImputer(within={"y": (1, 2)}).fit(holes)


def test_draws_differ_and_repeat(holes):
    model = unmiss.Imputer("gaussian", random_state=3, m=3).fit(holes)
    draws = model.draw(holes)
    hole = np.isnan(holes)
    assert len(draws) == 3 and not any(np.isnan(draw).any() for draw in draws)
    assert (draws[0][hole] != draws[1][hole]).mean() > 0.9
    again = unmiss.GaussianImputer(random_state=3, n_jobs=1, m=3).fit(holes).draw(holes, 2)
    np.testing.assert_array_equal(again[1], draws[1])


def test_draws_that_are_too_sure_say_so(holes):
    with pytest.warns(unmiss.UnmissWarning, match="fit with m=3 for proper ones"):
        unmiss.GaussianImputer().fit(holes).draw(holes, 3)
    with pytest.warns(unmiss.UnmissWarning, match="too sure for Rubin's rules"):
        unmiss.NeighboursImputer(m=3).fit(holes).draw(holes)
    with pytest.warns(unmiss.UnmissWarning, match="4 draws share 3 sets"):
        unmiss.GaussianImputer(m=3).fit(holes).draw(holes, 4)
    with pytest.raises(ValueError, match="m=-1 is not a whole number of draws"):
        unmiss.GaussianImputer(m=-1).fit(holes)


def test_the_classes_are_the_general_one(holes):
    one = unmiss.Imputer("chained", settings={"rounds": 3}).fit_transform(holes)
    np.testing.assert_array_equal(one, unmiss.ChainedImputer(rounds=3).fit_transform(holes))


def test_wrong_settings_say_which(holes):
    with pytest.raises(ValueError, match="setting `rounds`: `many` does not fit: it takes a whole number"):
        unmiss.GaussianImputer(rounds="many").fit(holes)
    with pytest.raises(ValueError, match="there is no method `gausian`\nhint: did you mean `gaussian`?"):
        unmiss.Imputer("gausian").fit(holes)
    with pytest.raises(TypeError, match="a setting can't be a object"):
        unmiss.GaussianImputer(rounds=object()).fit(holes)
    with pytest.raises(ValueError, match="inf"):
        unmiss.GaussianImputer().fit(np.where(np.isnan(holes), np.inf, holes))
    with pytest.raises(ValueError, match="column `a`, row 2: infinity"):
        unmiss.GaussianImputer().fit(pd.DataFrame({"a": [1.0, np.inf, 2.0], "b": [1.0, 2.0, 3.0]}))


def test_settings_may_be_numpy_numbers(holes):
    full = unmiss.GaussianImputer(rounds=np.int64(5), ridge=np.float32(0.5)).fit_transform(holes)
    np.testing.assert_array_equal(full, unmiss.GaussianImputer(rounds=5, ridge=0.5).fit_transform(holes))


def test_columns_without_names_of_their_own():
    frame = pd.DataFrame({0: [1.0, 2.0, np.nan, 4.0], 1: [2.0, np.nan, 6.0, 8.0]})
    full = unmiss.GaussianImputer().fit_transform(frame)
    assert list(full.columns) == [0, 1] and not full.isna().any().any()

"""Behaviours of scikit-learn's imputers that ours share or deliberately don't: docs/results/sklearn-impute-tests.md."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import unmiss
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union

NAMES = sorted(unmiss._estimators.IMPUTERS)


def imputers():
    """Every imputer, quick."""
    for name in NAMES:
        make = unmiss._estimators.IMPUTERS[name]
        yield make(epochs=3) if "epochs" in make().get_params() else make()


@pytest.fixture(params=imputers(), ids=NAMES)
def imputer(request):
    return request.param


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1)) + 0.3 * rng.normal(size=(60, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def test_missing_only_in_new_rows(imputer):
    imputer.fit(np.arange(20.0).reshape(10, 2) + np.eye(10, 2))
    new = np.array([[3.0, np.nan], [np.nan, np.nan]])
    full = imputer.transform(new)
    assert not np.isnan(full).any() and full[0, 0] == 3.0


def test_a_single_column(imputer):
    full = imputer.fit_transform(np.array([[1.0], [np.nan], [3.0], [5.0], [2.0]]))
    assert full.shape == (5, 1) and not np.isnan(full).any()


def test_without_holes_nothing_changes(imputer, X):
    full = np.nan_to_num(X)
    np.testing.assert_array_equal(imputer.fit_transform(full), full)


def test_input_is_never_written_to(imputer, X):
    before = X.copy()
    full = imputer.fit_transform(X)
    np.testing.assert_array_equal(X, before)
    assert not np.shares_memory(full, X)


def test_filling_is_repeatable_and_by_row(imputer, X):
    full = imputer.fit_transform(X)
    np.testing.assert_array_equal(imputer.transform(X), full)
    order = np.random.default_rng(1).permutation(60)
    np.testing.assert_array_equal(imputer.transform(X[order]), full[order])


def test_nullable_integers(imputer):
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 50, (60, 3)).astype(float)
    whole[rng.random(whole.shape) < 0.2] = np.nan
    plain = pd.DataFrame(whole, columns=list("abc"))
    nullable = plain.astype("Int64")
    full = imputer.fit_transform(nullable)
    assert (full.dtypes == "Int64").all()
    np.testing.assert_array_equal(imputer.fit_transform(plain).to_numpy(), full.to_numpy(dtype=float))


def test_sparse_input_is_refused(imputer, X):
    with pytest.raises(TypeError, match="[Ss]parse"):
        imputer.fit(scipy.sparse.csr_matrix(np.nan_to_num(X)))


def test_mean_and_median_are_scikit_learns(X):
    for center in ("mean", "median"):
        # An odd number of known cells: of an even number our median is one of the two in the middle.
        odd = np.column_stack([np.r_[np.nan, column[~np.isnan(column)][:31]] for column in X.T])
        theirs = SimpleImputer(strategy=center).fit_transform(odd)
        ours = unmiss.MeanImputer(center=center).fit_transform(odd)
        np.testing.assert_allclose(ours, theirs, atol=2e-5)


def test_the_most_frequent_word():
    X = np.array([["a", "x"], ["b", None], ["b", "y"], [None, "y"]], dtype=object)
    theirs = SimpleImputer(strategy="most_frequent", missing_values=None).fit_transform(X)
    assert unmiss.MeanImputer().fit_transform(X).tolist() == theirs.tolist()
    lists = [["a", "x"], ["b", None], ["b", "y"], [None, "y"]]
    assert unmiss.MeanImputer().fit_transform(lists).tolist() == theirs.tolist()


def test_lists_and_pandas_na():
    assert unmiss.MeanImputer().fit_transform([[1.0, 2.0], [np.nan, 4.0], [3.0, np.nan]]).tolist() == [
        [1, 2],
        [2, 4],
        [3, 3],
    ]
    frame = pd.DataFrame({"word": pd.Series(["a", pd.NA, "a", "b"], dtype="string"), "n": [1.5, 2.5, None, 3.5]})
    full = unmiss.MeanImputer().fit_transform(frame)
    assert full["word"].tolist() == ["a", "a", "a", "b"] and full["n"].tolist() == [1.5, 2.5, 2.5, 3.5]


def test_recovers_a_matrix_of_rank_one():
    rng = np.random.RandomState(0)
    truth = rng.rand(50, 1) @ rng.rand(1, 50)
    holes = np.where(rng.rand(50, 50) < 0.5, np.nan, truth)
    full = unmiss.GaussianImputer(beyond_range=True).fit_transform(holes)
    np.testing.assert_allclose(full, truth, atol=0.02)


@pytest.mark.parametrize("rank", [3, 5])
def test_recovers_new_rows(rank):
    rng = np.random.RandomState(0)
    truth = rng.rand(70, rank) @ rng.rand(rank, 70)
    holes = np.where(rng.rand(70, 70) < 0.5, np.nan, truth)
    full = unmiss.GaussianImputer(beyond_range=True).fit(holes[:35]).transform(holes[35:])
    np.testing.assert_allclose(full, truth[35:], atol=0.05 if rank == 3 else 0.3)


def test_recovers_sums():
    rng = np.random.RandomState(0)
    truth = np.zeros((100, 10))
    A, B = rng.randn(100, 10), rng.randn(100, 10)
    for i in range(10):
        for j in range(10):
            truth[:, (i + j) % 10] += (A[:, i] + B[:, j]) / 2
    holes = np.where(rng.rand(100, 10) < 0.25, np.nan, truth)
    full = unmiss.GaussianImputer(ridge=1e-8, beyond_range=True).fit(holes[:50]).transform(holes[50:])
    np.testing.assert_allclose(full, truth[50:], rtol=1e-3, atol=0.01)


def test_guesses_stay_in_range_and_draws_in_what_was_asked(X):
    model = unmiss.GaussianImputer(within={0: (-0.5, 0.5)}, m=5).fit(X)
    filled = np.isnan(X)
    guesses, draws = model.transform(X), model.draw(X)
    for full in [guesses, *draws]:
        assert (np.abs(full[filled[:, 0], 0]) <= 0.5).all()
    lowest, highest = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    for column in range(1, 4):
        values = guesses[filled[:, column], column]
        assert (values >= lowest[column]).all() and (values <= highest[column]).all()
    # Cut draws would vary too little: some lie beyond what is known.
    drawn = np.array(draws)
    assert ((drawn < lowest) | (drawn > highest))[:, :, 1:].any()


def test_empty_columns_are_never_dropped(X):
    X[:, 1] = np.nan
    with pytest.warns(unmiss.UnmissWarning):
        full = unmiss.GaussianImputer(unfilled="keep").fit_transform(X)
    assert full.shape == X.shape
    with pytest.raises(ValueError, match="could not be filled"):
        unmiss.GaussianImputer().fit_transform(X)


def test_the_generator_is_not_kept(X):
    state = np.random.RandomState(0)
    model = unmiss.GaussianImputer(random_state=state).fit(X)
    assert model.random_state is state
    first, again = model.draw(X, 1)[0], model.draw(X, 1)[0]
    np.testing.assert_array_equal(first, again)


def test_indicators_come_from_a_union(X):
    union = make_union(unmiss.GaussianImputer(), MissingIndicator())
    assert union.fit_transform(X).shape[1] == 8
    make_pipeline(union, unmiss.LinearRegressor()).fit(X, np.arange(60.0)).predict(X)


def test_single_precision_stays(imputer, X):
    assert imputer.fit_transform(X.astype(np.float32)).dtype == np.float32


def test_no_warning_without_a_reason(imputer, X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        imputer.fit(X).transform(X)

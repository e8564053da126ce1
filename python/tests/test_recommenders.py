"""Recommenders: every form of ratings, predictions, lists, somebody new, files, scikit-learn's conventions."""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
import scipy.sparse as sparse
import unmiss
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import estimator_checks

PROGRAM = pathlib.Path(
    os.environ.get("UNMISS_PROGRAM", pathlib.Path(__file__).parents[2] / "target" / "debug" / "unmiss")
)
with_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


def program(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def read(path):
    # Arrow reads the very number that was written.
    return pyarrow.csv.read_csv(path).to_pandas()


#: One of each kind, with quick settings.
QUICK = [
    unmiss.AutoRec(hidden=12, epochs=8, rate=0.02, n_jobs=2),
    unmiss.MatrixFactorization(factors=4, rounds=3, n_jobs=2),
    unmiss.CFNade(hidden=8, epochs=2, n_jobs=2),
    unmiss.RatingBiases(n_jobs=2),
]
every = pytest.mark.parametrize("model", QUICK, ids=lambda model: type(model).__name__)


@pytest.fixture(scope="module")
def films():
    return unmiss.sample("films")


@pytest.fixture(scope="module")
def numbered(films):
    """The same ratings with positions for ids."""
    number = lambda column: column.str[-3:].astype(int) - 1
    return films.assign(user=number(films["user"]), item=number(films["item"]))


def matrix(ratings):
    return sparse.coo_array((ratings["rating"], (ratings["user"], ratings["item"])), shape=(300, 200))


# ------------------------------------------------------------------------------------------------ forms


@every
def test_every_form_gives_the_same(numbered, model):
    users, items, values = (numbered[name].to_numpy() for name in ("user", "item", "rating"))
    pairs = np.stack([users[:50], items[:50]], axis=1)
    expected = clone(model).fit(numbered).predict(pairs)
    cells = matrix(numbered)
    words = numbered.astype({"user": str, "item": str})
    shuffled = numbered.sample(frac=1, random_state=1)
    forms = {
        "csr": cells.tocsr(),
        "csc": cells.tocsc(),
        "coo": cells,
        "lil": cells.tolil(),
        "dok": cells.todok(),
        "bsr": cells.tobsr(),
        "matrix": sparse.csr_matrix(cells),
        "single": cells.tocsr().astype(np.float32),
        "polars": pl.from_pandas(numbered),
        "arrow": pa.Table.from_pandas(numbered),
        "shuffled": shuffled,
        "words": words,
        "categories": words.astype({"user": "category", "item": "category"}),
        "nullable": numbered.astype({"user": "Int64", "item": "Float64", "rating": "Float64"}),
        "polars words": pl.from_pandas(words),
        "arrow words": pa.Table.from_pandas(words),
        "arrow dictionary": pa.table(
            {name: pa.array(words[name]).dictionary_encode() for name in ("user", "item")}
            | {"rating": pa.array(values)}
        ),
        "arrays": (users, items, values),
        "small integers": (users.astype(np.int16), items.astype(np.uint8), values.astype(np.float32)),
        "lists": (users.tolist(), items.tolist(), values.tolist()),
        "arrays of words": (users.astype(str), items.astype(str).astype(object), values),
        "series": (numbered["user"], pl.Series(items), pa.array(values)),
    }
    # The forms end in the same code: the slower ones are fitted on a few.
    quick = isinstance(model, (unmiss.RatingBiases, unmiss.MatrixFactorization))
    for name in forms if quick else ("csc", "polars words", "shuffled", "arrays"):
        fitted = clone(model).fit(forms[name])
        np.testing.assert_array_equal(fitted.predict(pairs), expected, err_msg=name)
        assert fitted.n_ratings_ == len(numbered) and fitted.rating_range_ == (1.0, 5.0)
    with_y = clone(model).fit(np.stack([users, items], axis=1), values)
    np.testing.assert_array_equal(with_y.predict(pairs), expected)


def test_pairs_in_every_form(numbered):
    model = unmiss.RatingBiases().fit(numbered)
    some = numbered.head(40)
    expected = model.predict(some)
    assert expected.dtype == np.float64 and expected.shape == (40,)
    users, items = some["user"].to_numpy(), some["item"].to_numpy()
    for pairs in (
        (users, items),
        (users.tolist(), items.tolist()),
        (some["user"], some["item"], some["rating"]),
        np.stack([users, items], axis=1),
        np.stack([users, items], axis=1).astype(float),
        np.stack([users, items], axis=1).astype(str),
        list(zip(users.tolist(), items.tolist())),
        pl.from_pandas(some),
        pa.Table.from_pandas(some),
    ):
        np.testing.assert_array_equal(model.predict(pairs), expected)
    np.testing.assert_array_equal(model.predict(some[::-1]), expected[::-1])
    many = pd.concat([numbered] * 3)
    np.testing.assert_array_equal(model.predict(many), np.tile(model.predict(numbered), 3))


def test_a_stored_zero_is_a_rating():
    cells = sparse.csr_array(([0.0, 5.0, 3.0], ([0, 0, 1], [0, 1, 1])), shape=(3, 2))
    model = unmiss.RatingBiases().fit(cells)
    assert model.n_ratings_ == 3 and model.rating_range_ == (0.0, 5.0)
    assert list(model.users_) == [0, 1, 2], "a row without a rating is a user of whom nothing is known"
    assert list(model.recommend(1)["item"]) == [0] and len(model.recommend(2)) == 2
    blocks = sparse.bsr_array(cells.tocsr()[:2], blocksize=(2, 2))
    assert unmiss.RatingBiases().fit(blocks).n_ratings_ == 2, "but not what fills a block"


def test_large_matrices_stay_sparse():
    code = """
        import resource, numpy as np, scipy.sparse, unmiss
        rng = np.random.default_rng(0)
        users, items = rng.integers(0, 100_000, (2, 200_000))
        X = scipy.sparse.coo_array((rng.integers(1, 6, 200_000), (users, items)), shape=(100_000, 100_000)).tocsr()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        model = unmiss.MatrixFactorization(factors=2, rounds=2).fit(X)
        assert model.predict((users, items)).shape == (200_000,) and len(model.recommend([1, 2], n=3)) == 6
        assert model.rmse(X) < 3
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
    """
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Dense, it would be 10 billion cells.
    assert int(done.stdout) < 600, f"{done.stdout} MB"


# ------------------------------------------------------------------------------------------------ rules


def test_the_last_rating_counts():
    rows = (["a", "a", "b", "a"], ["x", "x", "x", "x"], [1, 2, 3, 5])
    with pytest.warns(unmiss.UnmissWarning, match="a later one is for the same user and item: 2"):
        model = unmiss.RatingBiases().fit(rows)
    assert model.n_ratings_ == 2 and model.rating_range_ == (3.0, 5.0)
    frame = pd.DataFrame({"user": "a", "item": "x", "rating": [1, 2, 5], "when": [200, 300, 100]})
    for form in (frame, pl.from_pandas(frame), frame.assign(when=pd.to_datetime(frame["when"], unit="D"))):
        with pytest.warns(unmiss.UnmissWarning):
            assert unmiss.RatingBiases(time="when").fit(form).rating_range_ == (2.0, 2.0)
    with pytest.warns(unmiss.UnmissWarning, match="same user and item: 1"):
        twice = sparse.coo_array(([1.0, 4.0], ([0, 0], [0, 0])), shape=(1, 1))
        assert unmiss.RatingBiases().fit(twice).rating_range_ == (4.0, 4.0)


def test_a_row_without_a_rating_is_no_rating():
    for missing in (np.nan, None, pd.NA):
        with pytest.warns(unmiss.UnmissWarning, match="no rating: 1"):
            frame = pd.DataFrame({"user": ["a", "b", "b"], "item": ["x", "x", "y"], "rating": [missing, 2, 4]})
            model = unmiss.RatingBiases().fit(frame)
        assert model.n_ratings_ == 2 and list(model.users_) == ["a", "b"]


def test_ids_keep_their_type_and_stand_in_order():
    model = unmiss.RatingBiases().fit((["10", "9"], [10, 9], [1, 2]))
    assert list(model.users_) == ["9", "10"] and list(model.items_) == [9, 10]
    assert model.items_.dtype == np.int64 and model.users_.dtype == object
    assert list(unmiss.RatingBiases().fit((["007", "7"], [4, 5], [1, 2])).users_) == ["007", "7"]
    huge = np.array([2**63 + 1, 5], dtype=np.uint64)
    assert list(unmiss.RatingBiases().fit((huge, [4, 5], [1, 2])).users_) == ["5", str(2**63 + 1)]
    assert list(unmiss.RatingBiases().fit(([0.5, 2.0], [4, 5], [1, 2])).users_) == ["0.5", "2"]


@every
def test_cold_start(films, model):
    model = clone(model).fit(films)
    mean = films["rating"].mean()
    neither, item, user = model.predict([("nobody", "nothing"), ("nobody", "film-001"), ("user-001", "nothing")])
    assert neither == pytest.approx(mean, abs=1e-5)
    biases = unmiss.RatingBiases().fit(films)
    np.testing.assert_array_equal(
        [item, user], biases.predict([("nobody", "film-001"), ("user-001", "nothing")]), "the others' averages speak"
    )
    # The order stays, whoever is known.
    pairs = [("user-001", "film-001"), ("nobody", "film-001"), ("user-002", "film-003")]
    np.testing.assert_array_equal(model.predict(pairs)[[0, 2]], model.predict([pairs[0], pairs[2]]))


@every
def test_lists_have_unseen_items_only(films, model):
    model = clone(model).fit(films)
    best = model.recommend(n=5)
    assert isinstance(best, pd.DataFrame) and list(best.columns) == ["user", "item", "score"]
    assert (best.groupby("user").size() == 5).all() and best["user"].nunique() == 300
    seen = pd.merge(best, films, on=["user", "item"])
    assert seen.empty
    assert (best.groupby("user")["score"].diff().dropna() <= 0).all(), "the best first"
    # Lists are made by products of matrices, single pairs by sums: the last bit may differ.
    np.testing.assert_allclose(best["score"], model.predict(best), rtol=1e-6)
    two = model.recommend(["user-007", "user-001"], n=5)
    assert list(two["user"].unique()) == ["user-007", "user-001"]
    pd.testing.assert_frame_equal(
        two.tail(5).reset_index(drop=True), best[best["user"] == "user-001"].reset_index(drop=True)
    )


def test_lists_are_of_the_kind_that_came_in(films, numbered):
    polars = unmiss.RatingBiases().fit(pl.from_pandas(films))
    assert isinstance(polars.recommend("user-007"), pl.DataFrame)
    assert polars.recommend("user-007").schema["item"] == pl.String
    assert isinstance(polars.recommend_for({"film-001": 4}), pl.DataFrame)
    arrow = unmiss.RatingBiases(user="who").fit(pa.Table.from_pandas(films.rename(columns={"user": "who"})))
    assert isinstance(arrow.recommend(), pa.Table) and arrow.recommend(n=2).column_names == ["who", "item", "score"]
    cells = unmiss.RatingBiases().fit(matrix(numbered))
    best = cells.recommend([6, 0], n=3)
    assert isinstance(best, pd.DataFrame) and best["item"].dtype == np.int64
    named = unmiss.RatingBiases().fit(films).recommend(["user-007", "user-001"], n=3)
    assert [f"film-{item + 1:03}" for item in best["item"]] == named["item"].tolist()
    assert unmiss.RatingBiases().fit(films).recommend("user-007", n=1000)["item"].nunique() < 200


@every
def test_somebody_new(films, model):
    model = clone(model).fit(films)
    given = {"film-001": 5, "film-002": 1.0, "film-010": 4.5}
    best = model.recommend_for(given, n=7)
    assert list(best.columns) == ["item", "score"] and len(best) == 7 and not set(best["item"]) & set(given)
    np.testing.assert_allclose(model.predict_for(given, best["item"]), best["score"], rtol=1e-6)
    frame = pd.DataFrame({"item": given.keys(), "rating": given.values()})
    for form in (frame, pl.from_pandas(frame), (list(given), list(given.values()))):
        pd.testing.assert_frame_equal(model.recommend_for(form, n=7), best)
    # Of nobody, averages are all there is.
    assert model.recommend_for({}, n=3)["item"].nunique() == 3
    with pytest.warns(unmiss.UnmissWarning, match="items that the model does not know are passed over: 1"):
        pd.testing.assert_frame_equal(model.recommend_for({**given, "nothing": 3}, n=7), best)
    low, high = model.predict_for({"film-001": 1}, ["nothing"]), model.predict_for({"film-001": 5}, ["nothing"])
    assert 1 <= low[0] < high[0] <= 5


def test_fold_in_answers_as_for_the_same_known_user(films):
    """With an item per column a user's vector is all the network sees: a known user folded in is the same user."""
    model = unmiss.AutoRec(vectors="user", hidden=12, epochs=8, rate=0.02).fit(films)
    own = films[films["user"] == "user-007"]
    best = model.recommend("user-007", n=5)
    again = model.recommend_for(own, n=5)
    assert again["item"].tolist() == best["item"].tolist()
    np.testing.assert_allclose(again["score"], best["score"], rtol=1e-5)


# ------------------------------------------------------------------------------------------------ errors


def test_what_strangers_read(films):
    model = unmiss.RatingBiases()
    with pytest.raises(NotFittedError):
        model.predict([("a", "x")])
    with pytest.raises(ValueError, match=r"dense array of shape \(4, 5\).*\nhint: where 0 means unknown, give scipy"):
        model.fit(np.ones((4, 5)))
    with pytest.raises(ValueError, match=r"three arrays \(users, items, ratings\)\nhint:.*tuple\(X.T\)"):
        model.fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"hint: a list of \(user, item, rating\) is given as tuple\(zip\(\*X\)\)"):
        model.fit([("a", "x", 3), ("b", "x", 4)])
    with pytest.raises(TypeError, match="a str can't be read as ratings: expected is a scipy sparse"):
        model.fit("ratings.csv")
    with pytest.raises(ValueError, match="no column is called `user`\nhint: .*user=.*columns are: userId, item"):
        model.fit(films.rename(columns={"user": "userId"}))
    wide = films.pivot(index="user", columns="item", values="rating")
    with pytest.raises(ValueError, match=r"columns are: film-001, .*, \.\.\.\nhint: .* as columns, give X") as raised:
        model.fit(wide)
    # What the hint says works.
    assert model.fit(eval(str(raised.value).rsplit("give ")[-1], {"X": wide})).n_ratings_ == len(films)
    model = unmiss.RatingBiases()
    with pytest.raises(ValueError, match="row 2, column `item`: there is no id here\nhint: every rating belongs"):
        model.fit((["a", "b"], ["x", None], [1, 2]))
    with pytest.raises(ValueError, match="row 1, column `user`: there is no id here"):
        model.fit(pd.DataFrame({"user": ["", "b"], "item": ["x", "x"], "rating": [1, 2]}))
    with pytest.raises(ValueError, match="row 2, column `user`: there is no id here"):
        model.fit(([1.0, np.nan], ["x", "x"], [1, 2]))
    with pytest.raises(ValueError, match="row 2, column `rating`: `good` is not a number\nhint:"):
        model.fit((["a", "b"], ["x", "x"], ["4", "good"]))
    with pytest.raises(ValueError, match="row 2, column `rating`: `good` is not a number"):
        model.fit(pl.DataFrame({"user": ["a", "b"], "item": ["x", "x"], "rating": ["4", "good"]}))
    with pytest.raises(ValueError, match="user `b` for item `x`: `-inf` is not a finite number\nhint:"):
        model.fit((["a", "b"], ["x", "x"], [1, -np.inf]))
    with pytest.raises(ValueError, match="users, items and ratings are not equally many: 2, 2, 3"):
        model.fit((["a", "b"], ["x", "x"], [1, 2, 3]))
    with pytest.raises(ValueError, match="there are no ratings in it"):
        model.fit(sparse.csr_array((3, 3)))
    with pytest.raises(ValueError, match="no rating to learn from"), pytest.warns(unmiss.UnmissWarning):
        model.fit((["a"], ["x"], [np.nan]))
    with pytest.raises(ValueError, match="setting `hidden`.*whole number"):
        unmiss.AutoRec(hidden="many").fit(films)
    assert not hasattr(model, "model_")
    model.fit(films)
    with pytest.raises(ValueError, match="knows no user `user-07`\nhint: did you mean `user-0.7`.*recommend_for"):
        model.recommend("user-07")
    with pytest.raises(ValueError, match="row 1, column `user`: there is no id here"):
        model.predict([(None, "film-001")])
    with pytest.raises(ValueError, match=r"pairs of users and items, not an array of shape \(2, 3\)\nhint:"):
        model.predict(np.ones((2, 3)))
    with pytest.raises(TypeError, match=r"not a matrix\nhint: give \(users, items\)"):
        model.predict(sparse.csr_array((3, 3)))
    with pytest.raises(ValueError, match="n=0: at least one item"):
        model.recommend(n=0)
    with pytest.raises(TypeError, match="can't be a int\nhint: give them by item"):
        model.recommend_for(3)
    with pytest.raises(ValueError, match="item `film-001`: `inf` is not a finite number"):
        model.recommend_for({"film-001": np.inf})
    with pytest.raises(ValueError, match="a matrix of 3 users, but the model learned users by their ids\nhint:"):
        model.score(sparse.csr_array((3, 3)))
    with pytest.raises(TypeError, match=r"audits itself.*\nhint: call its audit\(\)"):
        unmiss.audit(model, np.ones((3, 3)))


# ------------------------------------------------------------------------------------------------ files


def command(model):
    """The program's options for the same fit."""
    settings = {name: value for name, value in model._method_settings().items()}
    defaults = type(model)()._method_settings()
    sets = [f"{name.replace('_', '-')}={value}" for name, value in settings.items() if value != defaults[name]]
    return ["--method", model._method, *[part for one in sets for part in ("--set", one)]]


@with_program
@every
def test_the_programs_model_is_the_same_to_the_bit(films, tmp_path, model):
    films.to_csv(tmp_path / "films.csv", index=False)
    there, here = tmp_path / "there.unmiss", tmp_path / "here.unmiss"
    program("recommend", "fit", tmp_path / "films.csv", *command(model), "--test", 0, "-o", there, "--seed", 3)
    fitted = clone(model).set_params(random_state=3).fit(films)
    fitted.save(here)
    assert here.read_bytes() == there.read_bytes()
    loaded = unmiss.load(there)
    assert type(loaded) is type(model) and loaded._method_settings() == model._method_settings()
    pairs = [*films[["user", "item"]].head(100).itertuples(index=False, name=None), ("nobody", "film-001")]
    ours = fitted.predict(pairs)
    np.testing.assert_array_equal(loaded.predict(pairs), ours)
    # And what the program answers from the file made here: four digits behind the point.
    pd.DataFrame(pairs, columns=["user", "item"]).to_csv(tmp_path / "pairs.csv", index=False)
    program("recommend", "predict", here, tmp_path / "pairs.csv", "-o", tmp_path / "out.csv")
    np.testing.assert_array_equal(read(tmp_path / "out.csv")["prediction"], np.floor(ours * 1e4 + 0.5) / 1e4)
    program("recommend", "top", here, 4, "--for", "user-007", "-o", tmp_path / "top.csv")
    assert read(tmp_path / "top.csv")["item"].tolist() == fitted.recommend("user-007", n=4)["item"].tolist()


@with_program
def test_the_audit_is_the_programs(films, tmp_path):
    model = unmiss.AutoRec(vectors="user", hidden=12, epochs=8, rate=0.02).fit(films)
    model.save(tmp_path / "m.unmiss")
    size = ["--users", 30, "--levels", 5, "--masks", 6]
    program("recommend", "audit", tmp_path / "m.unmiss", *size, "--json", tmp_path / "a.json")
    found = model.audit(users=30, levels=5, masks=6)
    assert found.to_dict() == json.loads((tmp_path / "a.json").read_text())
    assert found.verdict in ("flat", "mild-drift", "strong-drift", "unclear") and len(found.curve.share) == 5
    assert sum(group["users"] for group in found.groups) == 300 and len(found.words) == 3
    found.save(tmp_path / "a.html")
    assert "<svg" in (tmp_path / "a.html").read_text() and "<iframe" in found._repr_html_()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert found.plot().get_ylabel() == "predicted rating"


@every
def test_files_and_pickles(numbered, tmp_path, model):
    fitted = clone(model).fit(matrix(numbered))
    fitted.save(tmp_path / "m.unmiss")
    expected = fitted.predict(numbered)
    loads = (unmiss.load, type(model).load, lambda _: pickle.loads(pickle.dumps(fitted)))
    for load in loads:
        again = load(tmp_path / "m.unmiss")
        np.testing.assert_array_equal(again.predict(numbered), expected)
        np.testing.assert_array_equal(again.users_, np.arange(300))
        pd.testing.assert_frame_equal(again.recommend([5], n=3), fitted.recommend([5], n=3))
        assert again.score(matrix(numbered)) == fitted.score(matrix(numbered))
        again.save(tmp_path / "again.unmiss")
        assert (tmp_path / "again.unmiss").read_bytes() == (tmp_path / "m.unmiss").read_bytes()
    other = unmiss.AutoRec if isinstance(model, unmiss.RatingBiases) else unmiss.RatingBiases
    with pytest.raises(ValueError, match=f"holds a {type(model).__name__}, not a {other.__name__}\nhint: unmiss.load"):
        other.load(tmp_path / "m.unmiss")
    with pytest.raises(ValueError, match=f"holds a {type(model).__name__}, not a MeanImputer"):
        unmiss.MeanImputer.load(tmp_path / "m.unmiss")


# ------------------------------------------------------------------------------------------------ scikit-learn


@every
def test_clone_params_and_looks(films, model):
    assert clone(model).get_params() == model.get_params()
    changed = clone(model).set_params(user="who", random_state=5)
    assert changed.user == "who" and changed.random_state == 5 and model.user == "user"
    assert repr(type(model)()) == f"{type(model).__name__}()" and "n_jobs=2" in repr(model)
    fitted = clone(model).fit(films)
    assert "learned from" in fitted._repr_html_() and "300 users of 200 items" in fitted._repr_html_()
    assert not hasattr(clone(fitted), "model_") and fitted.fit(films) is fitted


@every
def test_seeds_and_threads(films, model):
    pairs = films.head(100)
    answers = [clone(model).set_params(n_jobs=threads).fit(films).predict(pairs) for threads in (1, 2)]
    np.testing.assert_array_equal(*answers)
    other = clone(model).set_params(random_state=9).fit(films).predict(pairs)
    assert isinstance(model, unmiss.RatingBiases) == bool((other == answers[0]).all())


def test_score_and_search(films, numbered):
    train, test = films.sample(frac=0.8, random_state=0), films.drop(films.sample(frac=0.8, random_state=0).index)
    model = unmiss.MatrixFactorization(factors=4, rounds=4).fit(train)
    errors = model.predict(test) - test["rating"]
    assert model.rmse(test) == pytest.approx(float(np.sqrt(np.mean(errors**2))))
    assert model.score(test) == -model.rmse(test)
    assert model.score(test) > unmiss.RatingBiases().fit(train).score(test), "tastes are worth something"
    assert model.score(test[["user", "item"]], test["rating"]) == model.score(test)
    hole = pd.concat([test, pd.DataFrame({"user": ["user-001"], "item": ["film-001"], "rating": [np.nan]})])
    assert model.score(hole) == model.score(test), "what has no rating is not scored"
    with pytest.raises(ValueError, match="no ratings in it"):
        model.score(test.assign(rating=np.nan))
    # Rows of a data frame are ratings: scikit-learn's own search splits them.
    search = GridSearchCV(unmiss.MatrixFactorization(rounds=4), {"factors": [1, 4]}, cv=3).fit(films)
    assert search.best_params_ == {"factors": 4} and -1.0 < search.best_score_ < 0
    assert search.predict([("user-001", "film-001")]).shape == (1,)
    scores = cross_val_score(unmiss.RatingBiases(), films[["user", "item"]], films["rating"], cv=3)
    assert (scores < 0).all()
    # Rows of a matrix are users, and a part of them has other positions: refused, not wrong.
    with pytest.raises(ValueError, match="a matrix of 100 users, but the model learned 200 users by position"):
        cross_val_score(unmiss.RatingBiases(), matrix(numbered).tocsr(), cv=3, error_score="raise")


WIDE = "feeds a dense array of many columns: it does not say which ratings are known, and is refused"
WIDTH = "asks for the number of columns, or complains of it: of ratings there are pairs, not columns"
TARGET = "feeds a sparse matrix together with y: a matrix has its ratings in it"
#: scikit-learn's checks that do not apply, with the reason. All others hold.
DO_NOT_APPLY = {
    "check_fit_score_takes_y": WIDE,
    "check_dont_overwrite_parameters": WIDE,
    "check_positive_only_tag_during_fit": WIDE,
    "check_estimators_dtypes": WIDE,
    "check_complex_data": WIDE,
    "check_dtype_object": WIDE,
    "check_pipeline_consistency": WIDE,
    "check_estimators_pickle": WIDE,
    "check_array_api_input": WIDE,
    "check_f_contiguous_array_estimator": WIDE,
    "check_methods_sample_order_invariance": WIDE,
    "check_methods_subset_invariance": WIDE,
    "check_dict_unchanged": WIDE,
    "check_fit2d_predict1d": WIDE,
    "check_estimators_nan_inf": WIDE,
    "check_n_features_in_after_fitting": WIDTH,
    "check_estimators_empty_data_messages": WIDTH,
    "check_fit2d_1sample": WIDTH,
    "check_fit2d_1feature": WIDTH,
    "check_n_features_in": WIDTH,
    "check_estimator_sparse_tag": TARGET,
}


@every
def test_scikit_learns_checks_that_apply(model):
    class Dense(type(model)):
        """Told to take arrays, it is given all checks; otherwise scikit-learn has none for it."""

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.two_d_array = True
            return tags

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = estimator_checks.check_estimator(Dense(**model.get_params()), on_skip=None, on_fail=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert set(failed) <= set(DO_NOT_APPLY), {name: failed[name] for name in set(failed) - set(DO_NOT_APPLY)}
    passed = {result["check_name"] for result in results if result["status"] == "passed"}
    assert {"check_estimators_unfitted", "check_set_params", "check_fit_idempotent"} <= passed and len(passed) > 15


# ------------------------------------------------------------------------------------------------ long work


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_interrupt_stops_a_fit(films):
    model = unmiss.AutoRec(epochs=1_000_000, patience=0, n_jobs=1)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.fit(films)
    assert time.monotonic() - began < 20 and not hasattr(model, "model_")
    timer.join()
    unmiss.RatingBiases().fit(films)


def test_the_bar_and_other_threads(films, capsys):
    unmiss.AutoRec(hidden=12, epochs=5, verbose=1).fit(films)
    written = capsys.readouterr()
    assert written.out == "" and "\r" in written.err and "left" in written.err
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    unmiss.AutoRec(hidden=100, epochs=40, patience=0, n_jobs=1).fit(films)
    took = time.monotonic() - began
    done.set()
    thread.join()
    assert len([at for at in ticks if began < at < began + took]) > 5 * took
    assert capsys.readouterr().err == ""

"""Recommenders: every form of ratings, predictions, lists, somebody new, what is refused."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sparse
import unmiss
from common import every_recommender, matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

# ------------------------------------------------------------------------------------------------ forms


@every_recommender
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


@every_recommender
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


@every_recommender
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


@every_recommender
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


# ------------------------------------------------------------------------------------------------ the choice


def test_the_best_of_the_short_list_is_chosen_as_the_program_chooses(films, tmp_path):
    chosen = unmiss.Recommender().fit(films)
    assert chosen.method_ in ("autorec", "factors", "biases", "blend")
    words = " ".join(chosen.model_.words)
    assert all(f"{name} RMSE" in words for name in ("autorec", "factors", "biases"))
    alone = unmiss.Recommender("biases").fit(films)
    assert alone.method_ == "biases"
    several = unmiss.Recommender(["biases", "factors"], settings={"factors": {"draws": 3}}).fit(films)
    assert several.method_ in ("biases", "factors")
    path = tmp_path / "films.unmiss"
    chosen.save(path)
    pairs = [("user-007", "film-001"), ("nobody", "film-002")]
    assert (unmiss.load(path).predict(pairs) == chosen.predict(pairs)).all()
    with pytest.raises(ValueError, match="settings belong to a method, and none is named\nhint: name it"):
        unmiss.Recommender(settings={"hidden": 3}).fit(films)
    advice = "`linear` predicts and is not for this\nhint: the methods for this are: autorec"
    with pytest.raises(ValueError, match=advice):
        unmiss.Recommender("linear").fit(films)


def test_no_option_of_the_program_reaches_a_user_of_python(films):
    frame = films.rename(columns={"user": "who"})
    for wrong in (
        lambda: unmiss.RatingBiases(user="whom").fit(frame),
        lambda: unmiss.Classifier("gaussian").fit([[1.0], [2.0]], [0, 1]),
        lambda: unmiss.sample("penguin"),
        lambda: unmiss.compare(pd.DataFrame({"a": [1.0, 2.0]}), [0.0, 1.0], folds=5),
    ):
        with pytest.raises((ValueError, KeyError)) as caught:
            wrong()
        assert "--" not in str(caught.value), caught.value
        assert "unmiss fit" not in str(caught.value)

"""Recommenders: files shared with the program, scikit-learn's conventions, long work."""

import json
import pickle
import time
import warnings

import numpy as np
import pandas as pd
import pytest
import unmiss
from common import (
    every_recommender,
    interrupt_soon,
    matrix,
    other_threads_run,
    program,
    read,
    with_program,
    with_signals,
)
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import estimator_checks

# ------------------------------------------------------------------------------------------------ files


def without_origin(path):
    """What stands in a model's file but the command and the time that the program notes."""
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    head = json.loads(content[8:end])
    words = json.loads(head["__metadata__"].pop("unmiss"))
    words["summary"].pop("provenance", None)
    return head, words, content[end:]


def command(model):
    """The program's options for the same fit."""
    settings = {name: value for name, value in model._method_settings().items()}
    defaults = type(model)()._method_settings()
    changed = {name: value for name, value in settings.items() if value != defaults[name]}
    sets = [f"{name.replace('_', '-')}={json.dumps(value)}" for name, value in changed.items()]
    return ["--method", model._method, *[part for one in sets for part in ("--set", one)]]


@with_program
@every_recommender
def test_the_programs_model_is_the_same_to_the_bit(films, tmp_path, model):
    films.to_csv(tmp_path / "films.csv", index=False)
    there, here = tmp_path / "there.unmiss", tmp_path / "here.unmiss"
    program("recommend", "fit", tmp_path / "films.csv", *command(model), "--test", 0, "-o", there, "--seed", 3)
    fitted = clone(model).set_params(random_state=3).fit(films)
    fitted.save(here)
    assert without_origin(here) == without_origin(there)
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
    learned = films.iloc[: len(films) * 9 // 10]
    model = unmiss.AutoRec(hidden=12, epochs=8, rate=0.02).fit(learned)
    model.save(tmp_path / "m.unmiss")
    films.iloc[len(learned) :].to_csv(tmp_path / "held.csv", index=False)
    size = ["--pairs", 30, "--levels", 5, "--masks", 6]
    program("recommend", "audit", tmp_path / "m.unmiss", tmp_path / "held.csv", *size, "--json", tmp_path / "h.json")
    held = model.audit(films.iloc[len(learned) :], pairs=30, levels=5, masks=6).to_dict()
    assert held == json.loads((tmp_path / "h.json").read_text()) and held["held_out"]
    program("recommend", "audit", tmp_path / "m.unmiss", *size, "--json", tmp_path / "a.json")
    found = model.audit(pairs=30, levels=5, masks=6)
    assert found.to_dict() == json.loads((tmp_path / "a.json").read_text())
    assert found.vectors == "item" and found.network
    assert found.verdict in ("flat", "mild-drift", "strong-drift", "unclear") and len(found.curve.share) == 5
    assert sum(group["count"] for group in found.groups) == 200 and len(found.words) == 4
    found.save(tmp_path / "a.html")
    assert "<svg" in (tmp_path / "a.html").read_text() and "<iframe" in found._repr_html_()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert found.plot().get_ylabel() == "predicted rating"


@every_recommender
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


@every_recommender
def test_clone_params_and_looks(films, model):
    assert clone(model).get_params() == model.get_params()
    changed = clone(model).set_params(user="who", random_state=5)
    assert changed.user == "who" and changed.random_state == 5 and model.user == "user"
    assert repr(type(model)()) == f"{type(model).__name__}()" and "n_jobs=2" in repr(model)
    fitted = clone(model).fit(films)
    assert "learned from" in fitted._repr_html_() and "300 users of 200 items" in fitted._repr_html_()
    assert not hasattr(clone(fitted), "model_") and fitted.fit(films) is fitted


@every_recommender
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


@every_recommender
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


@with_signals
def test_interrupt_stops_a_fit(films):
    model = unmiss.AutoRec(epochs=1_000_000, patience=0, n_jobs=1)
    timer, began = interrupt_soon(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.fit(films)
    assert time.monotonic() - began < 20 and not hasattr(model, "model_")
    timer.join()
    unmiss.RatingBiases().fit(films)


def test_the_bar_and_other_threads(films, capsys):
    unmiss.AutoRec(hidden=12, epochs=5, verbose=1).fit(films)
    written = capsys.readouterr()
    assert written.out == "" and "\r" in written.err and "left" in written.err
    with other_threads_run():
        unmiss.AutoRec(hidden=100, epochs=40, patience=0, n_jobs=1).fit(films)
    assert capsys.readouterr().err == ""

"""What all predictors share: targets and weights as scikit-learn has them, classes, chances, intervals."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_consistent_length, check_is_fitted

from . import _frame, _unmiss
from ._base import Estimator, Saved, as_json, as_seed, named
from ._results import Contributions, Explanation


def own_table(model: Any, X: Any, y: Any = None) -> Any:
    """Rows for a fitted model, with their truth where it is given."""
    X, names = model._taken_in(X, reset=False)
    further = []
    if y is not None:
        check_consistent_length(X, y)
        name = model.model_.target
        if hasattr(model, "classes_"):
            cells = [_frame.word(value) for value in np.asarray(y).tolist()]
            levels = sorted(set(cells))
            codes = np.array([levels.index(cell) for cell in cells], dtype=np.int64)
            further = [(name, "category", codes, levels)]
        else:
            further = [(name, "real", np.asarray(y, dtype=np.float64), None)]
        if name in names:
            raise ValueError(f"the target `{name}` is a column of X: give X without it, or leave y out")
    return _frame.to_table(X, names, _frame.APPLY, further=further)


class PredictorBase(Saved, Estimator):
    """Predicts from rows with holes."""

    _task = ""

    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        return [(self._method, self._method_settings())]

    def _learn(self, X: Any, y: Any, names: list[str], target: tuple, weight: Any, balanced: bool):
        recipes = [(method, as_json(settings)) for method, settings in self._recipes()]
        if not (self.folds is None or self.folds >= 2 or self.folds == 0 and len(recipes) == 1):
            raise ValueError(f"folds={self.folds}: a choice between methods needs 2 or more, a single one 0 or 2")
        further = [target]
        if weight is not None:
            name = "sample weight"
            while name in names:
                name += "_"
            further.append((name, "real", np.asarray(weight, dtype=np.float64), None))
        self.__dict__.pop("loaded_from_", None)
        self.model_ = _unmiss.Predictor.fit(
            table=_frame.to_table(X, names, _frame.LEARN, further=further),
            target=target[0],
            weight=further[1][0] if weight is not None else None,
            task=self._task,
            balanced=balanced,
            recipes=recipes,
            folds=None if self.folds is None else int(self.folds),
            manner=self._manner(as_seed(self.random_state)),
            ordered=_frame.orders(X, names),
        )
        self.method_ = self.model_.method
        self.scores_ = json.loads(self.model_.scores)

    def _weighed(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, Any]:
        """Rows that weigh nothing are left out, as if they were not there."""
        if sample_weight is None:
            return X, y, None
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not sample_weight.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        kept = sample_weight > 0
        if kept.all():
            return X, y, sample_weight
        return _safe_indexing(X, np.flatnonzero(kept)), y[kept], sample_weight[kept]

    def _checked(self, X: Any, y: Any) -> tuple[Any, np.ndarray, list[str]]:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X, names = self._taken_in(X, reset=True, least=2)
        y = _check_y(y, multi_output=False, y_numeric=self._task == "regression", estimator=self)
        check_consistent_length(X, y)
        return X, y, names

    def _asked(self, X: Any) -> tuple[Any, tuple]:
        check_is_fitted(self)
        X, names = self._taken_in(X, reset=False)
        return _frame.to_table(X, names, _frame.APPLY), self._manner()

    def explain(self, X: Any = None, y: Any = None, rows: int = 1000, repeats: int = 5) -> Explanation:
        """What the model goes by: which columns, what their holes do, how the answer follows their values.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features), default=None
            Rows to find out on, best of all rows that the model did not learn from. None: what was found out on
            held-out rows during the fit, which needs ``folds`` of 2 or more.
        y : array of shape (n_samples,), default=None
            Their truth: columns are then told by how much the loss rises, otherwise by how far answers move.
        rows : int, default=1000
            Rows to ask about, drawn at random.
        repeats : int, default=5
            Times that the cells of a column change places.

        Returns
        -------
        explanation : Explanation
            Importance of the columns, what hiding does, partial dependence; draws itself with ``plot()``.
        """
        check_is_fitted(self)
        if X is not None:
            return Explanation(self.model_.explain(own_table(self, X, y), rows, repeats, self._manner()))
        found = self.model_.explained()
        if found is None:
            raise ValueError("nothing was held out to find out on\nhint: give X and y, or fit with folds=5")
        return Explanation(found)

    def contributions(self, X: Any) -> Contributions:
        """Why rows get their answers: what each column adds (Shapley values).

        Compared with cells as they were in training, holes too, each column on its own. ``base + values.sum(axis=1)``
        is the answer: the number, the chance of the second of two classes, or that of the predicted one of more.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. About 500 answers are asked for each; linear models and trees of a number know it at once.

        Returns
        -------
        contributions : Contributions
            ``values`` and their standard ``errors``, of shape (n_samples, n_features), ``base`` and ``answers``.
        """
        table, manner = self._asked(X)
        _, names = self._taken_in(X, reset=False)
        values, errors, base, answers, outputs = self.model_.contributions(table, manner)
        places = [names.index(name) for name in self.model_.contributing]
        # Columns that the model does not use contribute nothing.
        spread = [np.zeros((len(base), len(names))) for _ in range(2)]
        spread[0][:, places], spread[1][:, places] = values, errors
        explained = None
        if hasattr(self, "classes_"):
            classes = self.classes_ if self._order is None else self.classes_[np.argsort(self._order)]
            explained = classes[outputs]
        return Contributions(*spread, base, answers, names, explained)

    def page(self, path: str | os.PathLike) -> None:
        """Write what the cross-validation found as an HTML page with charts.

        Parameters
        ----------
        path : str or path
            The file.
        """
        check_is_fitted(self)
        found = self.model_.page()
        if found is None:
            raise ValueError("there was no cross-validation to show\nhint: fit with folds=5")
        found.write(f"Predicting `{self.model_.target}`", os.fspath(path))


class ClassifierBase(ClassifierMixin, PredictorBase):
    """Predicts classes and their chances."""

    _task = "classification"

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learn from rows with holes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. NaN, None and nulls are holes; words and categories need no encoding.
        y : array of shape (n_samples,)
            Their classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        name = named(X, y, "target") if hasattr(X, "shape") and len(X.shape) == 2 else "target"
        X, y, names = self._checked(X, y)
        check_classification_targets(y)
        balanced = self.class_weight == "balanced"
        X, y, weight = self._weighed(X, y, sample_weight)
        if self.class_weight is not None and not balanced:
            of_class = compute_sample_weight(self.class_weight, y)
            X, y, weight = self._weighed(X, y, of_class if weight is None else weight * of_class)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes, but there is one class: "
                f"{self.classes_[0]!r}"
            )
        words = [_frame.word(value) for value in self.classes_.tolist()]
        if len(set(words)) < len(words):
            raise ValueError(f"classes of different types look the same: {sorted(words)}")
        self._learn(X, y, names, (name, "category", codes.astype(np.int64), words), weight, balanced)
        order = [self.model_.levels.index(level) for level in words]
        self._order = None if order == sorted(order) else np.array(order)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Chances of the classes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        chances : array of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        table, manner = self._asked(X)
        chances = self.model_.predict(table, manner)
        return chances if self._order is None else chances[:, self._order]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        classes : array of shape (n_samples,)
            Values of ``classes_``.
        """
        table, manner = self._asked(X)
        places = self.model_.classes(table, manner)
        classes = self.classes_ if self._order is None else self.classes_[np.argsort(self._order)]
        return classes[places]


    def predict_set(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Sets of classes that hold the true one, from held-out rows, larger where what matters is missing.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        level : float, default=0.9
            Share of new rows whose set holds their class; of each class where every class has 50 rows.

        Returns
        -------
        sets : boolean array of shape (n_samples, n_classes)
            Whether a class of ``classes_`` belongs to the row's set. Needs a fit with ``folds`` of 2 or more.
        """
        if not 0.0 < level < 1.0:
            raise ValueError(f"level={level} is not between 0 and 1")
        table, manner = self._asked(X)
        sets = self.model_.sets(table, level, manner)
        return sets if self._order is None else sets[:, self._order]


class RegressorBase(RegressorMixin, PredictorBase):
    """Predicts a number."""

    _task = "regression"

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learn from rows with holes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. NaN, None and nulls are holes; words and categories need no encoding.
        y : array of shape (n_samples,)
            What is to be predicted.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        name = named(X, y, "target") if hasattr(X, "shape") and len(X.shape) == 2 else "target"
        X, y, names = self._checked(X, y)
        X, y, weight = self._weighed(X, y, sample_weight)
        self._learn(X, y, names, (name, "real", np.asarray(y, dtype=np.float64), None), weight, False)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The expected number for each row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        numbers : array of shape (n_samples,)
            The predictions.
        """
        table, manner = self._asked(X)
        return self.model_.predict(table, manner)[:, 0]

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Predictions with intervals from held-out errors (CV+), wider where what matters is missing.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        level : float, default=0.9
            Share of new rows that the intervals hold for.

        Returns
        -------
        intervals : array of shape (n_samples, 3)
            Prediction, lower end, upper end. Needs a fit with ``folds`` of 2 or more.
        """
        if not 0.0 < level < 1.0:
            raise ValueError(f"level={level} is not between 0 and 1")
        table, manner = self._asked(X)
        return self.model_.intervals(table, level, manner)

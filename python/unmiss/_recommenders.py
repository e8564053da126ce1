"""What all recommenders share: learning from ratings, predicting them, lists of the best, somebody new."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _ratings, _unmiss
from ._base import Estimator, Saved, as_json, as_seed
from ._listen import Listener
from ._results import RatingAudit


class RecommenderBase(Saved, Estimator):
    """Predicts ratings. Nearly all of them are unknown, so only the known ones are kept: nothing becomes dense."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None):
        """Learn from ratings.

        Of several ratings for the same user and item the last counts (with ``time``, the latest), and rows without a
        rating are passed over; both with a warning.

        Parameters
        ----------
        X : sparse matrix, data frame or tuple of three arrays
            A scipy sparse matrix or array, users x items, in which every stored cell is a rating, a zero too; a pandas,
            polars or Arrow data frame with columns of users, items and ratings; or ``(users, items, ratings)``. Ids are
            words or whole numbers, those of a matrix are positions. A dense array is refused, as it does not say which
            of its cells are known.
        y : array, default=None
            The ratings, if X has pairs of users and items only, as for ``predict``.

        Returns
        -------
        self : object
            The fitted recommender.
        """
        ratings = _ratings.ratings_of(X, y, self._columns()).in_order_of_time()
        self._seed = as_seed(self.random_state)
        self.model_ = _unmiss.Recommender.fit(
            users=ratings.users,
            items=ratings.items,
            ratings=ratings.values,
            recipes=[(name, as_json(settings)) for name, settings in self._recipes()],
            share=self._share(),
            manner=self._manner(self._seed),
        )
        self.method_ = self.model_.method
        self.__dict__.pop("loaded_from_", None)
        self._kind = _ratings.frame_kind(X)
        self._take_ids(*(ids.words is None for ids in ratings[:2]))
        return self

    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        """The methods that compete, each with its settings; none: the library's short list."""
        return [(self._method, self._method_settings())]

    def _share(self) -> float:
        """The share of the ratings on which methods compete."""
        return 0.1

    def predict(self, X: Any) -> np.ndarray:
        """Predict the ratings of pairs.

        Where the model has no rating of the user, the mean of all ratings and the item's average speak; where it has
        none of the item, the user's; where it knows neither, the mean. None of it is an error. Predictions lie between
        the smallest and the largest rating learned from.

        Parameters
        ----------
        X : data frame, tuple of two arrays, or array of shape (n_pairs, 2)
            Users and items: a data frame with these columns, ``(users, items)``, or an array of two columns.

        Returns
        -------
        ratings : array of shape (n_pairs,)
            One rating for each pair, in the order given.
        """
        check_is_fitted(self)
        pairs = _ratings.pairs_of(X, self._columns())
        return self.model_.predict(pairs.users, pairs.items, self._manner())

    def recommend(self, users: Any = None, n: int = 10) -> Any:
        """List the items that users have not rated yet, the best first.

        Parameters
        ----------
        users : id or array of ids, default=None
            The users; None: all that the model knows.
        n : int, default=10
            How many items for each; fewer where fewer are left.

        Returns
        -------
        best : data frame
            Columns of users, of items, and ``score``, the predicted rating: the same kind of data frame as was learned
            from, pandas otherwise.
        """
        check_is_fitted(self)
        if users is not None:
            users = _ratings.ids_of(users, self.user)
        whose, items, scores = self.model_.recommend(users, _count(n), self._manner())
        columns = {self.user: (self.users_, whose), self.item: (self.items_, items), "score": (scores, None)}
        return _ratings.listing(self._kind, columns)

    def recommend_for(self, ratings: Any, n: int = 10) -> Any:
        """List items for somebody new, the best first. Nothing is learned again.

        Parameters
        ----------
        ratings : dict, data frame or tuple of two arrays
            What they rated: ratings by item, a data frame with these columns, or ``(items, ratings)``. Items that the
            model does not know are passed over with a warning.
        n : int, default=10
            How many items.

        Returns
        -------
        best : data frame
            Columns of items and ``score``, the predicted rating; none of the items that were rated.
        """
        check_is_fitted(self)
        given = _ratings.given_of(ratings, self._columns())
        items, scores, unknown = self.model_.recommend_for(*given, _count(n), self._manner())
        self._tell_unknown(unknown)
        return _ratings.listing(self._kind, {self.item: (self.items_, items), "score": (scores, None)})

    def predict_for(self, ratings: Any, items: Any) -> np.ndarray:
        """Predict how somebody new rates items. Nothing is learned again.

        Parameters
        ----------
        ratings : dict, data frame or tuple of two arrays
            What they rated, as for ``recommend_for``.
        items : array of ids
            Items to predict the ratings of.

        Returns
        -------
        ratings : array of shape (n_items,)
            One rating for each item.
        """
        check_is_fitted(self)
        given = _ratings.given_of(ratings, self._columns())
        answers, unknown = self.model_.predict_for(*given, _ratings.ids_of(items, self.item), self._manner())
        self._tell_unknown(unknown)
        return answers

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the root mean square error on ratings, so that more is better, as for ``GridSearchCV``.

        Parameters
        ----------
        X : sparse matrix, data frame or tuple of three arrays
            Ratings that were not learned from, in any form that ``fit`` takes. A matrix must have the users and items
            of the one that was learned from.
        y : array, default=None
            The ratings, if X has pairs only.

        Returns
        -------
        score : float
            The negative error, in units of the ratings.
        """
        return -self.rmse(X, y)

    def rmse(self, X: Any, y: Any = None) -> float:
        """Root mean square error on ratings.

        Parameters
        ----------
        X : sparse matrix, data frame or tuple of three arrays
            Ratings, as for ``score``.
        y : array, default=None
            The ratings, if X has pairs only.

        Returns
        -------
        error : float
            In units of the ratings.
        """
        check_is_fitted(self)
        if y is None and _ratings.is_sparse(X):
            self._check_positions(X)
        ratings = _ratings.ratings_of(X, y, self._columns())
        known = ~np.isnan(ratings.values)
        if not known.any():
            raise ValueError("there are no ratings in it\nhint: a score needs ratings that are known")
        errors = self.model_.predict(ratings.users, ratings.items, self._manner())[known] - ratings.values[known]
        return float(np.sqrt(np.mean(errors**2)))

    def audit(self, X: Any = None, pairs: int = 100, levels: int = 10, masks: int = 50) -> RatingAudit:
        """Audit: do predicted ratings drift with HOW MANY ratings are known?

        A network has a row of ratings for each user, or for each item. Of such a row more and more ratings are left out
        at random, and the network itself predicts a pair that it did not learn from; a model without a network gets a
        part of a user's ratings as those of somebody new. What is left out at random carries no information, so the
        mean prediction of a sound model stays.

        Parameters
        ----------
        X : sparse matrix, data frame or tuple of arrays, default=None
            Ratings, or pairs of users and items, that were not learned from. None: pairs without a rating are drawn.
        pairs : int, default=100
            Pairs of user and item to audit, drawn at random.
        levels : int, default=10
            Shares of known ratings, up to 100 %.
        masks : int, default=50
            Random choices of ratings for each pair and share.

        Returns
        -------
        audit : RatingAudit
            Verdict, figures, curve; draws itself with ``plot()``, shows charts in notebooks, saves a page.
        """
        check_is_fitted(self)
        held_out = None
        if X is not None:
            if _ratings.is_sparse(X):
                self._check_positions(X)
            rated = _ratings.is_sparse(X) or (isinstance(X, tuple) and len(X) == 3)
            columns = self._columns()
            given = _ratings.ratings_of(X, None, columns) if rated else _ratings.pairs_of(X, columns)
            held_out = (given.users, given.items)
        return RatingAudit(self.model_.audit(held_out, (pairs, levels, masks), self._manner(self._seed)))

    def _columns(self) -> _ratings.Columns:
        return _ratings.Columns(self.user, self.item, self.rating, self.time)

    def _take_ids(self, users_numbered: bool, items_numbered: bool) -> None:
        """The ids as attributes: numbers where they came as numbers, words otherwise."""

        def ids(users: bool, numbered: bool) -> np.ndarray:
            whole = self.model_.whole_ids(users) if numbered else None
            return np.array(self.model_.ids(users), dtype=object) if whole is None else whole

        self.users_ = ids(True, users_numbered)
        self.items_ = ids(False, items_numbered)
        self.n_ratings_ = self.model_.count
        self.rating_range_ = self.model_.range

    def _check_positions(self, X: Any) -> None:
        """A matrix has no ids but positions: they must be those that were learned."""
        for ids, count, what in ((self.users_, X.shape[0], "users"), (self.items_, X.shape[1], "items")):
            positions = ids.dtype.kind == "i" and ids[0] == 0 and ids[-1] == len(ids) - 1
            if not positions or len(ids) != count:
                learned = f"{len(ids)} {what} by position" if positions else f"{what} by their ids"
                raise ValueError(
                    f"a matrix of {count} {what}, but the model learned {learned}\n"
                    "hint: rows and columns must be the same as in fit; to split ratings at random, as in "
                    "cross-validation, use a data frame"
                )

    def _tell_unknown(self, unknown: int) -> None:
        if unknown:
            Listener().warning(f"ratings of items that the model does not know are passed over: {unknown}")


def _count(n: int) -> int:
    if n < 1:
        raise ValueError(f"n={n}: at least one item is needed")
    return int(n)

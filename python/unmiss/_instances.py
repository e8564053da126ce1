"""What predictors of images and of series share: methods are measured on a part that is held out."""

from __future__ import annotations

import json
import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from . import _unmiss
from ._base import as_json, as_seed, recipes_of


class InstancePredictorBase:
    """Predicts something for each image or each series."""

    _task = ""
    _instances = ""

    def _learn(self, instances: Any, balanced: bool) -> None:
        chosen = isinstance(self.method, str) and self.method == "auto"
        recipes = [] if chosen else recipes_of(self.method, self.settings, ())
        if not recipes and self.settings:
            raise ValueError("settings belong to a method, and none is named\nhint: name it with method=...")
        if not 0.0 <= self.test <= 0.5 or (self.test == 0 and len(recipes) != 1):
            raise ValueError(
                f"test={self.test}: a choice between methods holds out a share of the {self._instances}, up to 0.5"
            )
        self.__dict__.pop("loaded_from_", None)
        self.model_ = _unmiss.InstancePredictor.fit(
            instances=instances,
            recipes=[(method, as_json(settings)) for method, settings in recipes],
            share=float(self.test),
            task=self._task,
            balanced=balanced,
            manner=self._manner(as_seed(self.random_state)),
        )
        self.method_ = self.model_.method
        self.scores_ = json.loads(self.model_.scores)

    def page(self, path: str | os.PathLike) -> None:
        """Write how the methods did on what was held out as an HTML page with charts.

        Parameters
        ----------
        path : str or path
            The file.
        """
        check_is_fitted(self)
        found = self.model_.page()
        if found is None:
            raise ValueError("nothing was held out to show\nhint: fit with test=0.1")
        what = "Classes of" if self._task == "classification" else "A number for"
        found.write(f"{what} {self._instances}", os.fspath(path))

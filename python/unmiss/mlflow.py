"""Saved models as MLflow models of the flavour ``python_function``, with a signature.

``save_model`` and ``log_model`` take a fitted estimator or the path of a model file; what they write, any MLflow tool
loads, serves and scores: data frames with holes in, predictions or filled columns out.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

import mlflow.pyfunc
from mlflow.models import ModelSignature
from mlflow.types import ColSpec, Schema

from . import _unmiss
from ._arrow import ArrowModel
from ._files import load

#: The name of the model file among the artifacts.
_FILE = "model.unmiss"


class _Model(mlflow.pyfunc.PythonModel):
    """What MLflow calls."""

    def __init__(self, level: float | None):
        self.level = level

    def load_context(self, context: Any) -> None:
        self.model = ArrowModel(context.artifacts["model"], level=self.level)

    def predict(self, context, model_input, params=None):  # MLflow reads hints as a signature: none here
        return self.model(model_input)


def signature(model: Any, level: float | None = None) -> ModelSignature:
    """What a model takes and gives, column by column; no column is required, as any may be a hole.

    Parameters
    ----------
    model : estimator or path
        A fitted estimator, or the path of its file.
    level : float, default=None
        As for :func:`unmiss.arrow`.

    Returns
    -------
    signature : mlflow.models.ModelSignature
        Numbers are doubles, categories strings. MLflow turns no column of whole numbers into doubles itself.
    """
    estimator = load(model) if isinstance(model, (str, os.PathLike)) else model
    kinds = _unmiss.input_kinds(estimator.model_.to_bytes())
    inputs = [ColSpec("double" if kind == "number" else "string", name, required=False) for name, kind in kinds]
    if not hasattr(estimator, "predict"):
        return ModelSignature(Schema(inputs), Schema(inputs))
    if not hasattr(estimator, "classes_"):
        names = ["prediction"] if level is None else ["prediction", "lower", "upper"]
        return ModelSignature(Schema(inputs), Schema([ColSpec("double", name) for name in names]))
    first = estimator.classes_[:1]
    kind = {"i": "long", "u": "long", "f": "double", "b": "boolean"}.get(first.dtype.kind, "string")
    chances = [ColSpec("double", f"probability_{word}") for word in estimator.classes_]
    return ModelSignature(Schema(inputs), Schema([ColSpec(kind, "prediction"), *chances]))


def save_model(model: Any, path: str | os.PathLike, *, level: float | None = None, **further: Any) -> None:
    """Write an MLflow model to a folder.

    Parameters
    ----------
    model : estimator or path
        A fitted estimator, or the path of its file.
    path : str or path
        The folder; there must be none of that name.
    level : float, default=None
        As for :func:`unmiss.arrow`.
    **further
        For ``mlflow.pyfunc.save_model``.
    """
    _written(mlflow.pyfunc.save_model, model, level, path=os.fspath(path), **further)


def log_model(model: Any, name: str = "model", *, level: float | None = None, **further: Any) -> Any:
    """Log an MLflow model with the active run.

    Parameters
    ----------
    model : estimator or path
        A fitted estimator, or the path of its file.
    name : str, default="model"
        What it is called there.
    level : float, default=None
        As for :func:`unmiss.arrow`.
    **further
        For ``mlflow.pyfunc.log_model``.

    Returns
    -------
    info : mlflow.models.model.ModelInfo
        What MLflow says of it.
    """
    return _written(mlflow.pyfunc.log_model, model, level, name=name, **further)


def _written(write: Any, model: Any, level: float | None, **further: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, _FILE)
        if isinstance(model, (str, os.PathLike)):
            shutil.copyfile(model, file)
        else:
            model.save(file)
        further.setdefault("signature", signature(model, level))
        further.setdefault("pip_requirements", ["unmiss", "pyarrow", "pandas"])
        return write(python_model=_Model(level), artifacts={"model": file}, **further)

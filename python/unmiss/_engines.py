"""Work in tasks that do not depend on each other, given to an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def each(engine: Any, function: Callable, shared: Any, *columns: Iterable) -> list:
    """``function(shared, ...)`` of every task, in their order; a task has one of each column.

    ``shared`` is what all tasks read: Ray and Dask bring it to each machine once. What lies in an engine already (Ray's
    references, Dask's partitions) is handed over where it lies.
    """
    tasks = list(zip(*columns))
    if engine is None:
        return [function(shared, *task) for task in tasks]
    if engine == "ray":
        ray = _imported("ray")
        task_of, common = ray.remote(function), ray.put(shared)
        return ray.get([task_of.remote(common, *task) for task in tasks])
    if engine == "dask":
        dask = _imported("dask")
        common = dask.delayed(shared, traverse=False)
        return list(dask.compute(*[dask.delayed(function)(common, *task) for task in tasks]))
    if hasattr(engine, "submit"):
        results = [engine.submit(function, shared, *task) for task in tasks]
        return [result.result() for result in results]
    raise ValueError(f"engine={engine!r} is neither 'ray' nor 'dask', and has no method `submit`")


def _imported(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"engine={name!r} needs the package {name}\nhint: pip install {name}") from None

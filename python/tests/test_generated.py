"""The estimators' file is fresh, and every public thing is documented."""

import importlib.util
import inspect
import json
import pathlib

import unmiss

HERE = pathlib.Path(__file__).parent


def test_the_estimators_are_those_of_the_list():
    spec = importlib.util.spec_from_file_location("generate_estimators", HERE.parent / "generate_estimators.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    source = generate.source(json.loads(unmiss._unmiss.methods_json()))
    assert generate.TARGET.read_text(encoding="utf-8") == source, "run python python/generate_estimators.py"
    installed = pathlib.Path(unmiss._estimators.__file__).read_text(encoding="utf-8")
    assert installed == source, "the installed package is not this one"


def test_every_public_name_is_documented():
    for name in unmiss.__all__:
        thing = getattr(unmiss, name)
        if isinstance(thing, str):
            continue
        assert thing.__doc__, name
        if inspect.isfunction(thing):
            assert "Examples\n" in thing.__doc__ and "Returns\n" in thing.__doc__, name
            documented(name, thing, inspect.signature(thing).parameters)
        elif hasattr(thing, "fit"):
            assert "Examples\n" in thing.__doc__, name
            documented(name, thing, [p for p in inspect.signature(thing.__init__).parameters if p != "self"])


def documented(name, thing, parameters):
    for parameter in parameters:
        assert f"    {parameter} : " in thing.__doc__, (name, parameter)


def test_defaults_are_the_librarys():
    methods = json.loads(unmiss._unmiss.methods_json())
    lists = (("imputers", unmiss._estimators.IMPUTERS), ("recommenders", unmiss._estimators.RECOMMENDERS))
    for entry, estimator in ((entry, classes[entry["name"]]()) for name, classes in lists for entry in methods[name]):
        for setting, value in entry["defaults"].items():
            own = getattr(estimator, setting.replace("-", "_"))
            assert (list(own) if isinstance(own, tuple) else own) == value


def test_the_package_is_typed():
    folder = pathlib.Path(unmiss.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_unmiss.pyi").exists()
    stub = (folder / "_unmiss.pyi").read_text(encoding="utf-8")
    for name in dir(unmiss._unmiss):
        if not name.startswith("__"):
            assert name in stub, name

"""The scripts under examples/python run from beginning to end."""

import pathlib
import runpy

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_runs(script, tmp_path, monkeypatch, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_there_are_four():
    assert [script.stem for script in SCRIPTS] == ["audit_any_model", "impute", "predict_with_holes", "recommend"]

"""The scripts under examples/python run from beginning to end."""

import pathlib
import shutil
import subprocess
import sys

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "python").glob("*.py"))
#: What a script needs beside the package; without it, it is skipped with a word.
NEEDS = {
    "compare_on_ray": "ray",
    "dask_partitions": "dask.dataframe",
    "datafusion_udf": "datafusion",
    "export_onnx": "onnxruntime",
    "learning_in_parts": "dask.dataframe",
    "mlflow_model": "mlflow",
    "polars_lazy": "polars",
    "ray_data": "ray.data",
    "spark_in_arrow": "pyspark",
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_runs(script, tmp_path):
    pytest.importorskip("matplotlib")
    if script.stem in NEEDS:
        pytest.importorskip(NEEDS[script.stem], reason=f"{NEEDS[script.stem]} is not installed")
    if script.stem == "spark_in_arrow" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    # In a process of its own: engines start workers, and must leave none behind.
    run = [sys.executable, "-c", "import matplotlib; matplotlib.use('agg'); import runpy, sys; "
           "runpy.run_path(sys.argv[1], run_name='__main__')", str(script)]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout, done.stderr
    assert "the same: False" not in done.stdout and "False" not in done.stdout.split("the same:")[-1]


def test_all_are_there():
    others = ["audit_any_model", "impute", "predict_with_holes", "recommend"]
    assert [script.stem for script in SCRIPTS] == sorted([*others, *NEEDS])

import subprocess
import sys

CODE = """
import sys
from toolkit.stages.light import keep_pandas_out
keep_pandas_out()
import pyarrow as pa
pa.table({"a": [1, None], "b": [["x"], []]})
assert "pandas" not in sys.modules
import pandas
assert pandas.DataFrame({"a": [1]}).shape == (1, 1)
"""


def test_pyarrow_works_without_pandas_and_others_still_get_it():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")

# %% [markdown]
# # Predicting in Spark
# `mapInArrow` hands an iterator of Arrow batches to the adapter and takes one back; Spark asks for the schema of the
# answers beforehand.

# %%
import os
import sys

import numpy as np
import pyarrow as pa
import unmiss
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

horses = unmiss.sample("horse-colic").dropna(subset="surgical_lesion")
X, y = horses.drop(columns="surgical_lesion"), horses["surgical_lesion"]
unmiss.Classifier("linear").fit(X, y).save("colic.unmiss")
model = unmiss.arrow("colic.unmiss")

# %%
os.environ["PYSPARK_PYTHON"] = sys.executable  # workers need the package too
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
table = pa.Table.from_pandas(X, preserve_index=False)
rows = spark.createDataFrame(table).repartition(4)
answers = rows.mapInArrow(model, from_arrow_schema(model.schema(table.schema))).toPandas()
spark.stop()

# %%
whole = model(X)
name = whole.columns[1]
print(len(answers), "rows;", "the same:", np.array_equal(np.sort(answers[name]), np.sort(whole[name])))

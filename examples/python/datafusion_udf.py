# %% [markdown]
# # Predicting in SQL, with DataFusion
# A function of SQL gets whole columns and gives one: the adapter's prediction. Its arguments are the model's inputs.

# %%
import numpy as np
import pyarrow as pa
import unmiss
from datafusion import SessionContext, udf

penguins = unmiss.sample("penguins").dropna(subset="body_mass_g")
X = penguins.drop(columns="body_mass_g")
unmiss.Regressor("linear").fit(X, penguins["body_mass_g"]).save("mass.unmiss")

# %%
model = unmiss.arrow("mass.unmiss")
table = pa.Table.from_pandas(X, preserve_index=False)


def predicted(*columns):
    return model(pa.table(list(columns), names=table.column_names)).column("prediction").combine_chunks()


context = SessionContext()
context.register_record_batches("penguins", [table.to_batches(max_chunksize=50)])
context.register_udf(udf(predicted, table.schema.types, pa.float64(), "stable", name="mass"))
asked = ", ".join(f'"{name}"' for name in table.column_names)
answers = pa.Table.from_batches(context.sql(f"SELECT mass({asked}) AS mass FROM penguins").collect())

# %%
whole = model(X)["prediction"].to_numpy()
print(answers.num_rows, "rows;", "the same:", np.array_equal(np.sort(answers["mass"].to_numpy()), np.sort(whole)))

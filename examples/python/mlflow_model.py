# %% [markdown]
# # A model in MLflow
# What `unmiss.mlflow` saves is a `python_function` model with a signature: any MLflow tool loads and serves it.

# %%
import mlflow
import numpy as np
import unmiss
import unmiss.mlflow

penguins = unmiss.sample("penguins").dropna(subset="body_mass_g")
X, y = penguins.drop(columns="body_mass_g"), penguins["body_mass_g"]
# MLflow takes no whole numbers for numbers that may be missing.
X = X.astype({name: float for name in X.select_dtypes("integer")})
model = unmiss.Regressor("linear").fit(X, y)
unmiss.mlflow.save_model(model, "penguins-model", level=0.9)

# %%
loaded = mlflow.pyfunc.load_model("penguins-model")
answers = loaded.predict(X)
print(loaded.metadata.signature)
print("the same:", np.array_equal(answers["prediction"].to_numpy(), model.predict(X)))

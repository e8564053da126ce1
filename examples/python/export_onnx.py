# %% [markdown]
# # A model in another runtime
# A fitted model becomes one ONNX file. Holes are handled inside the graph: NaN for a missing number, an empty word for
# a missing category.

# %%
import numpy as np
import onnxruntime
import unmiss

penguins = unmiss.sample("penguins").dropna(subset="body_mass_g")
X, y = penguins.drop(columns="body_mass_g"), penguins["body_mass_g"]
model = unmiss.Regressor("linear").fit(X, y)
model.export("penguins.onnx", level=0.9)

# %% [markdown]
# Every column is an input of its own. What comes out is the prediction and, as asked for, the ends of its interval.

# %%
session = onnxruntime.InferenceSession("penguins.onnx")
feeds = {}
for port in session.get_inputs():
    column = X[port.name]
    cells = column.fillna("").astype(str) if port.type == "tensor(string)" else column.astype(float)
    feeds[port.name] = cells.to_numpy(dtype=object if port.type == "tensor(string)" else float).reshape(-1, 1)
names = [port.name for port in session.get_outputs()]
found = dict(zip(names, session.run(None, feeds)))
print("outputs:", ", ".join(names))
print("largest difference:", np.abs(found["prediction"] - model.predict(X)).max(), "g")

# %% [markdown]
# # Auditing a model that is not ours
# Does the answer drift with HOW MUCH is known? Hide known cells at random: they tell nothing about the target, so the
# mean answer of a sound model stays where it is.

# %%
import unmiss
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

horses = unmiss.sample("horse-colic").dropna(subset="surgical_lesion")
y = horses["surgical_lesion"]
X = horses.drop(columns="surgical_lesion").select_dtypes("number")

# %% [markdown]
# A network with holes set to zero, as in many a script.

# %%
zero = make_pipeline(
    MinMaxScaler(),
    SimpleImputer(strategy="constant", fill_value=0.0, keep_empty_features=True),
    MLPClassifier(hidden_layer_sizes=(32,), max_iter=150, random_state=0),
)
found = unmiss.audit(zero.fit(X, y), X, y, rows=100, masks=20)
print(found)
print(f"slope {found.slope:.2f}, share {found.share:.2f}, range {found.range:.2f}, spearman {found.spearman:.2f}")

# %% [markdown]
# The same network behind `SparsityNormalizer`.

# %%
cured = make_pipeline(
    MinMaxScaler(),
    unmiss.SparsityNormalizer(),
    MLPClassifier(hidden_layer_sizes=(32,), max_iter=150, random_state=0),
)
after = unmiss.audit(cured.fit(X, y), X, y, rows=100, masks=20)
print(f"drift {found.drift:+.2f} with zeros, {after.drift:+.2f} with Sparsity Normalization")

# %% [markdown]
# Any function will do: a PyTorch module, an XGBoost model, a lambda. In a notebook the result shows its charts; as a
# page it stands alone.

# %%
counted = unmiss.audit(lambda rows: rows.notna().sum(axis=1), X, rows=50, masks=10)
print(counted.verdict)
found.save("audit.html")
axes = found.plot()
after.plot(ax=axes)
axes.figure.savefig("audit.svg")

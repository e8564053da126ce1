# %% [markdown]
# # Predicting from rows with holes
# Nothing is encoded, scaled or filled by hand: the frame goes in as it is.

# %%
import unmiss
from sklearn.model_selection import cross_val_score, train_test_split

horses = unmiss.sample("horse-colic").dropna(subset="surgical_lesion")
X, y = horses.drop(columns=["surgical_lesion"]), horses["surgical_lesion"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %% [markdown]
# `Classifier()` compares the program's short list by cross-validation and fits the best. Here two quick methods are
# enough.

# %%
model = unmiss.Classifier(["linear", "trees"], folds=3).fit(X_train, y_train)
print("\n".join(model.model_.words))
print(f"right for {100 * model.score(X_test, y_test):.0f} % of the rows held out")

# %% [markdown]
# A hole is never an error: not in a single row, not in a column that is all missing.

# %%
one = X_test.head(1).copy()
one["pulse"] = None
print(model.classes_, model.predict_proba(one).round(2))

# %% [markdown]
# It is a scikit-learn estimator like any other.

# %%
scores = cross_val_score(unmiss.LinearClassifier(), X, y, cv=4, scoring="roc_auc")
print("AUROC of `linear`:", scores.round(2))

# %% [markdown]
# Numbers come with intervals, learned apart for rows of which little and much is known.

# %%
penguins = unmiss.sample("penguins").dropna(subset="body_mass_g")
mass = unmiss.Regressor("trees", folds=3).fit(penguins.drop(columns="body_mass_g"), penguins["body_mass_g"])
for prediction, low, high in mass.predict_interval(penguins.drop(columns="body_mass_g").head(3), level=0.9):
    print(f"{prediction:.0f} g, in 9 of 10 cases from {low:.0f} to {high:.0f}")

# %% [markdown]
# The model is a file, and the program reads it: `unmiss predict colic.unmiss new.csv`.

# %%
model.save("colic.unmiss")
print(unmiss.load("colic.unmiss"))

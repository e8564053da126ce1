"""The NeuMiss networks of the papers in PyTorch, written after their texts; prints what tests.rs compares with.

python golden.py: for each network its loss and, for each weight array, the sum of its gradient and of the gradient
times 1, 2, 3, ... (double precision).
"""

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
ROWS, D, DEPTH, HIDDEN = 5, 3, 3, 4
x = torch.cos(torch.arange(ROWS)[:, None] + 0.5 * torch.arange(D))
missing = ((3 * torch.arange(ROWS)[:, None] + 5 * torch.arange(D)) % 4 == 0).double()
target = torch.sin(2.0 * torch.arange(ROWS))


def weights(index, *shape):
    count = int(torch.tensor(shape).prod())
    values = 0.4 * torch.sin(1 + 0.7 * torch.arange(count) + 1.1 * index)
    return nn.Parameter(values.reshape(shape))


def original(residual):
    """2020: own matrices, W_mix, known columns copied, a linear answer."""
    mu, w, mix = weights(0, D), weights(1, DEPTH, D, D), weights(2, D, D)
    beta, b = weights(4, D, 1), weights(5, 1)
    v = (1 - missing) * (x - mu)
    h = (v @ w[0]) * (1 - missing)
    for layer in range(1, DEPTH):
        h = (h @ w[layer]) * (1 - missing) + (v if residual else 0)
    z = (h @ mix) * missing + (1 - missing) * x + missing * mu
    return (z @ beta + b)[:, 0], [mu, w, mix, beta, b]


def shared():
    """2021: one matrix, a learned factor for each addition, a perceptron behind."""
    mu, w, gamma = weights(0, D), weights(1, D, D), weights(3, DEPTH)
    first, first_bias = weights(4, D, HIDDEN), weights(5, HIDDEN)
    last, last_bias = weights(6, HIDDEN, 1), weights(7, 1)
    v = (1 - missing) * (x - mu)
    h = v
    for layer in range(DEPTH):
        h = (h @ w) * (1 - missing) + gamma[layer] * v
    hidden = torch.relu(h @ first + first_bias)
    return (hidden @ last + last_bias)[:, 0], [mu, w, gamma, first, first_bias, last, last_bias]


for name, (answer, all_weights) in [
    ("original", original(True)),
    ("without residual", original(False)),
    ("shared", shared()),
]:
    loss = ((answer - target) ** 2).mean()
    gradients = torch.autograd.grad(loss, all_weights)
    print(name, f"{loss.item():.9f}")
    for gradient in gradients:
        flat = gradient.reshape(-1)
        print(f"    ({flat.sum().item():.9f}, {(flat * torch.arange(1, len(flat) + 1)).sum().item():.9f}),")

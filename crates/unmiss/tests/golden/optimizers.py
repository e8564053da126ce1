"""Makes optimizers.json: the weights after each step of PyTorch's optimisers on one small problem.

The gradient of weight i at step t is g[t][i], drawn once and written to the file, so that only the
update rules are compared. Run with any PyTorch:  python optimizers.py > optimizers.json
"""

import json

import torch

STEPS, WEIGHTS = 16, 5

torch.manual_seed(3)
start = torch.randn(WEIGHTS)
gradients = torch.randn(STEPS, WEIGHTS) * torch.tensor([1.0, 0.1, 10.0, 1.0, 1e-3])
gradients[4:8, 3] = 0.0  # a weight without a gradient for a while

CASES = {
    "sgd": (torch.optim.SGD, {"lr": 0.1}),
    "sgd-momentum": (torch.optim.SGD, {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01}),
    "sgd-nesterov": (torch.optim.SGD, {"lr": 0.05, "momentum": 0.8, "nesterov": True}),
    "adam": (torch.optim.Adam, {"lr": 0.01}),
    "adam-decay": (torch.optim.Adam, {"lr": 0.04, "betas": (0.9, 0.95), "weight_decay": 0.02}),
    "adam-w": (torch.optim.AdamW, {"lr": 0.02, "weight_decay": 0.1}),
    "rprop": (torch.optim.Rprop, {"lr": 0.01}),
    "adadelta": (torch.optim.Adadelta, {"lr": 1.0}),
    "adadelta-decay": (torch.optim.Adadelta, {"lr": 0.5, "rho": 0.95, "weight_decay": 0.01}),
    "rms-prop": (torch.optim.RMSprop, {"lr": 0.02, "alpha": 0.9}),
    "rms-prop-decay": (torch.optim.RMSprop, {"lr": 0.01, "alpha": 0.99, "weight_decay": 0.05}),
}

result = {"start": start.tolist(), "gradients": gradients.tolist(), "cases": {}}
for name, (optimizer, settings) in CASES.items():
    weights = torch.nn.Parameter(start.clone())
    rule = optimizer([weights], **settings)
    course = []
    for gradient in gradients:
        weights.grad = gradient.clone()
        rule.step()
        course.append(weights.tolist())
    result["cases"][name] = course
print(json.dumps(result))

"""Time of one training step in PyTorch, to be compared with crates/unmiss/benches/mlp_step.rs.

Prints one line for each task: its name and the median microseconds per step. THREADS sets the threads (2).
CLOCK=cpu THREADS=1 counts processor time, for a busy machine.
"""

import os
import statistics
import time

import torch
from torch import nn

clock = time.process_time if os.environ.get("CLOCK") == "cpu" else time.perf_counter
torch.set_num_threads(int(os.environ.get("THREADS", "2")))


def network(sizes):
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def step_time(sizes, batch, steps):
    torch.manual_seed(1)
    rows = batch * 50
    inputs = torch.randn(rows, sizes[0])
    regression = sizes[-1] == 1
    targets = torch.randn(rows, 1) if regression else torch.randint(0, sizes[-1], (rows,))
    loss_of = nn.MSELoss() if regression else nn.CrossEntropyLoss()

    def run():
        net = network(sizes)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, fused=FUSED)
        total, done = 0.0, 0
        start = clock()
        while done < steps:
            for index in torch.randperm(rows).split(batch):
                optimizer.zero_grad()
                loss = loss_of(net(inputs[index]), targets[index])
                loss.backward()
                optimizer.step()
                total += loss.item()
                done += 1
        return (clock() - start) * 1e6 / done

    run()
    return statistics.median(run() for _ in range(7))


# PyTorch's fused Adam is its fastest; FUSED=0 takes the default one.
FUSED = os.environ.get("FUSED", "1") == "1"
print(f"small {step_time([13, 100, 100, 100, 1], 32, 1000):.1f}", flush=True)
print(f"large {step_time([784, 512, 512, 10], 128, 100):.1f}", flush=True)

"""Times of convolutions and of the training step of a small CNN in PyTorch, to be compared with
crates/unmiss/benches/convolution.rs.

Prints one line for each task: its name and the least microseconds. THREADS sets the threads (2), CLOCK=cpu THREADS=1
counts processor time, for a busy machine. LAYOUT=channels-last takes PyTorch's other order of images in memory, and
for the step its fused Adam: its best. ONLY names the tasks to time, by their beginnings, separated by commas.
"""

import os
import time

import torch
import torch.nn.functional as functional
from torch import nn

clock = time.process_time if os.environ.get("CLOCK") == "cpu" else time.perf_counter
torch.set_num_threads(int(os.environ.get("THREADS", "2")))
last = os.environ.get("LAYOUT") == "channels-last"
layout = torch.channels_last if last else torch.contiguous_format
only = os.environ.get("ONLY", "").split(",")

# Channels in and out, kernel, stride, padding, side; U is transposed.
SHAPES = {
    "A": (1, 32, 3, 1, 1, 28),
    "B": (32, 32, 3, 2, 1, 28),
    "C": (32, 64, 3, 1, 1, 14),
    "D": (64, 64, 3, 1, 1, 14),
    "E": (3, 32, 3, 1, 1, 32),
    "F": (32, 32, 3, 1, 1, 32),
    "G": (64, 64, 3, 1, 1, 16),
    "H": (128, 128, 3, 1, 1, 8),
    "I": (16, 32, 5, 1, 2, 28),
    "U": (64, 32, 2, 2, 0, 14),
}


def least(work):
    """The least microseconds of a call."""
    work()
    work()
    begun, best = time.perf_counter(), float("inf")
    while time.perf_counter() - begun < 0.12:
        start = clock()
        work()
        best = min(best, clock() - start)
    return best * 1e6


def wanted(name):
    return any(name.startswith(start) for start in only)


def shapes(batch):
    for name, (inputs, outputs, kernel, stride, padding, side) in SHAPES.items():
        torch.manual_seed(1)
        images = torch.randn(batch, inputs, side, side).contiguous(memory_format=layout).requires_grad_()
        up = name == "U"
        weights = torch.randn(*((inputs, outputs) if up else (outputs, inputs)), kernel, kernel)
        weights = (weights / (inputs * kernel * kernel) ** 0.5).requires_grad_()
        bias = torch.randn(outputs, requires_grad=True)
        convolve = functional.conv_transpose2d if up else functional.conv2d

        def forward():
            return convolve(images, weights, bias, stride, padding)

        if wanted(f"{name}{batch}-forward"):
            print(f"{name}{batch}-forward {least(forward):.1f}", flush=True)
        if wanted(f"{name}{batch}-backward"):
            result = forward()
            pull = torch.randn_like(result)

            def backward():
                return torch.autograd.grad(result, (images, weights, bias), pull, retain_graph=True)

            print(f"{name}{batch}-backward {least(backward):.1f}", flush=True)


def step(batch, steps=8):
    if not wanted(f"step{batch}"):
        return
    torch.manual_seed(2)
    images, classes = torch.randn(batch * steps, 1, 28, 28), torch.randint(0, 10, (batch * steps,))

    def run():
        net = nn.Sequential(
            *(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.BatchNorm2d(32), nn.Conv2d(32, 32, 3, 2, 1)),
            *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.BatchNorm2d(64)),
            *(nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.BatchNorm2d(64)),
            *(nn.Flatten(), nn.Linear(12544, 20), nn.ReLU(), nn.Linear(20, 10)),
        ).to(memory_format=layout)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, fused=last)
        start = clock()
        for index in torch.randperm(batch * steps).split(batch):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net(images[index]), classes[index])
            loss.backward()
            optimizer.step()
            loss.item()
        return (clock() - start) * 1e6 / steps

    print(f"step{batch} {min(run() for _ in range(5)):.1f}", flush=True)


for batch in (24, 64):
    shapes(batch)
for batch in (24, 64):
    step(batch)

"""Processor time of an epoch of `dvae` and of `made` beside PyTorch, and of classifying digits by many draws.

    python benches/generative.py UNMISS [ROUNDS]

UNMISS is the built program. Ours is the difference between a fit of five epochs and one of one epoch, a quarter of it,
so that reading and writing do not count; PyTorch's is the median of four epochs after a first one. Both sides have two
threads and 12,800 random images of 28 x 28 in black and white: dVAE 784-500-500-32 and back, batch 128, Adam; MADE
784-500-784, one mask, batch 100, Adam. Processor time, since machines are busy; what counts is the ratio.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

IMAGES, PIXELS, HIDDEN, LATENT = 12_800, 784, 500, 32
torch.set_num_threads(2)


def spent(command):
    """Processor seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def epochs(step, data, batch):
    """Median processor seconds of an epoch in this process, after a first one."""
    times = []
    for _ in range(5):
        start = time.process_time()
        for rows in torch.randperm(IMAGES).split(batch):
            step(data[rows])
        times.append(time.process_time() - start)
    return statistics.median(times[1:])


def dvae(data):
    """The encoder sees the image, 0 where hidden, beside its marks."""
    encoder = nn.Sequential(
        nn.Linear(2 * PIXELS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2 * LATENT)
    )
    decoder = nn.Sequential(
        nn.Linear(LATENT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, PIXELS)
    )
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], fused=True)

    def step(x):
        seen = (torch.rand_like(x) >= 0.5 * torch.rand(len(x), 1)).float()
        mean, log = encoder(torch.cat([x * seen, seen], 1)).chunk(2, 1)
        z = mean + (0.5 * log).exp() * torch.randn_like(mean)
        said = functional.binary_cross_entropy_with_logits(decoder(z), x, reduction="sum")
        loss = (said - 0.5 * (1 + log - mean**2 - log.exp()).sum()) / len(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return epochs(step, data, 128)


def made(data):
    first, second = nn.Linear(PIXELS, HIDDEN), nn.Linear(HIDDEN, PIXELS)
    places, degrees = torch.arange(PIXELS), torch.randint(0, PIXELS - 1, (HIDDEN,))
    masks = (places[None] <= degrees[:, None]).float(), (degrees[None] < places[:, None]).float()
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], fused=True)

    def step(x):
        hidden = functional.relu(functional.linear(x, first.weight * masks[0], first.bias))
        said = functional.linear(hidden, second.weight * masks[1], second.bias)
        loss = functional.binary_cross_entropy_with_logits(said, x, reduction="sum") / len(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return epochs(step, data, 100)


def ours(program, folder, images, command, settings):
    """Processor seconds of an epoch, from fits of one and of five."""

    def fit(count):
        changes = [change for pair in {**settings, "epochs": count}.items() for change in ("--set", "%s=%s" % pair)]
        return spent([program, *command, str(images), *changes, "-o", str(folder / "out.npz"), "--threads", "2"])

    return (fit(5) - fit(1)) / 4


def classified(program, folder):
    """Seconds, and processor seconds, for the classes of 10,000 images of digits' size from 100 draws of each: a
    perceptron behind dVAE, both hardly trained, as that changes nothing about the time."""
    generator = np.random.default_rng(2)
    digits = (generator.random((10_000, 28, 28)) < 0.13).astype(np.float32)
    digits[generator.random(digits.shape) < 0.25] = np.nan
    np.savez(folder / "new.npz", values=digits)
    np.savez(folder / "old.npz", values=digits[:200], labels=generator.integers(0, 10, 200))
    model, answers = str(folder / "classifier.unmiss"), str(folder / "answers.csv")
    imputer = '{"hidden":[500,500],"latent":32,"epochs":1}'
    settings = [
        "imputer=dvae", f"imputer-settings={imputer}", "predictor=mlp", 'predictor-settings={"epochs":1}', "draws=100"
    ]
    settings = [word for setting in settings for word in ("--set", setting)]
    fit = ["fit", str(folder / "old.npz"), "--method", "impute-then-predict", *settings, "--test", "0"]
    spent([program, *fit, "--threads", "2", "-q", "-o", model])
    start = time.perf_counter()
    processor = spent([program, "predict", model, str(folder / "new.npz"), "-o", answers, "--threads", "2", "-q"])
    return time.perf_counter() - start, processor


def main():
    program = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    generator = np.random.default_rng(1)
    pixels = (generator.random((IMAGES, 28, 28)) < 0.13).astype(np.uint8)
    data = torch.tensor(pixels.reshape(IMAGES, PIXELS), dtype=torch.float32)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        holed = pixels.astype(np.float32)
        # One hole, so that there is something to fill.
        holed[0, 0, 0] = np.nan
        np.save(folder / "whole.npy", pixels)
        np.save(folder / "holed.npy", holed)
        found = {"dvae": ([], []), "made": ([], [])}
        fill = ["impute", "--method", "dvae", "--save", str(folder / "model")]
        for _ in range(rounds):
            settings = {"hidden": "[500,500]", "latent": LATENT, "batch": 128, "patience": 0}
            found["dvae"][0].append(ours(program, folder, folder / "holed.npy", fill, settings))
            found["dvae"][1].append(dvae(data))
            settings = {"hidden": "[500]", "masks": 1, "hide": 0, "batch": 100, "patience": 0}
            judge = ["density", "--method", "made", "--test", "0"]
            found["made"][0].append(ours(program, folder, folder / "whole.npy", judge, settings))
            found["made"][1].append(made(data))
        many = classified(program, folder)
        for name, (unmiss, peer) in found.items():
            one, other = statistics.median(unmiss), statistics.median(peer)
            print(f"{name}: unmiss {one:.2f} s, PyTorch {other:.2f} s of processor time an epoch: {one / other:.2f}")
        wall, processor = many
        print(f"10,000 digits x 100 draws: {wall:.1f} s, {processor:.1f} s of processor time")


main()

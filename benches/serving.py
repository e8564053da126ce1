"""Load and soak of `unmiss serve` on this machine alone: python3 benches/serving.py --program target/release/unmiss

`load` makes a model of each method from a made table (10 numbers, 2 categories, a fifth of the cells missing), asks for
one row at a time with wrk over several connections, and prints requests a second, latencies and the server's processor
time for a request. `soak` sends good and bad requests of all kinds for some minutes and prints the server's memory
every minute. Both ask as fast as they are answered unless a rate is told.
Needs wrk (Debian's package) for `load`, and nothing but Python for `soak`.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")
CLIENTS = 3
ROW = {f"x{j}": 0.25 * j - 1 for j in range(10)} | {"a": "u", "b": "w", "x3": None, "x7": None}


def table(rows, seed):
    """A table with holes, a number `y` and a class `c`."""
    draw = random.Random(seed)
    lines = [",".join([f"x{j}" for j in range(10)] + ["a", "b", "y", "c"])]
    for _ in range(rows):
        numbers = [draw.gauss(0, 1) for _ in range(10)]
        words = [draw.choice("uvwxyz"), draw.choice("uvw")]
        y = sum(numbers[:4]) + (1 if words[0] == "u" else 0) + 0.3 * draw.gauss(0, 1)
        cells = [f"{number:.4f}" for number in numbers] + words
        cells = ["" if draw.random() < 0.2 else cell for cell in cells]
        lines.append(",".join(cells + [f"{y:.4f}", "high" if y > 0 else "low"]))
    return "\n".join(lines) + "\n"


class Server:
    """A server on a free port."""

    def __init__(self, program, folder, models, *options):
        command = [program, "serve", *models, "--listen", "127.0.0.1:0", "--threads", "2", *options]
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
        said = ""
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)", said)):
            line = self.process.stderr.readline()
            if not line:
                raise SystemExit(f"the server did not start: {said}")
            said += line
        self.port = int(found[1])

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def seconds(self):
        """Processor time so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self):
        """Resident megabytes."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def end(self):
        self.process.terminate()
        return self.process.wait(30)


def fit(program, folder, method, target="y"):
    other = "c" if target == "y" else "y"
    quick = ["--set", "epochs=20"] if method == "mlp" else []
    options = ["--method", method, "--ignore", other, "--folds", "5", "-o", f"{method}.unmiss", *quick]
    subprocess.run([program, "fit", "train.csv", "--target", target, *options, "--quiet"], cwd=folder, check=True)


def load(program, folder, methods, seconds, connections, rate):
    script = folder / "row.lua"
    body = json.dumps(ROW).replace('"', '\\"')
    script.write_text(f'wrk.method = "POST"\nwrk.body = "{body}"\nwrk.headers["Content-Type"] = "application/json"\n')
    if rate:
        # Every connection waits before it asks again.
        script.write_text(f"{script.read_text()}delay = function() return {1000 * connections / rate:.0f} end\n")
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, {connections} connections, {seconds} s each")
    for method in methods:
        fit(program, folder, method)
        server = Server(program, folder, [f"{method}.unmiss"])
        address = f"http://127.0.0.1:{server.port}/models/{method}/predict"
        before = server.seconds()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script), address]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        spent = server.seconds() - before
        requests = int(re.search(r"(\d+) requests in", out)[1])
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
        p50, p99 = (re.search(rf"{share}%\s+(\S+)", out)[1] for share in (50, 99))
        bad = re.search(r"Non-2xx.*|Socket errors.*", out)
        server.end()
        print(f"{method}: {rate:.0f} requests/s, p50 {p50}, p99 {p99}, processor {1e6 * spent / requests:.0f} us each"
              f"{'; ' + bad[0] if bad else ''}")


def requests(name):
    """Good and bad requests with the codes that they may have."""
    path = f"/models/{name}"
    as_json, as_csv = {"Content-Type": "application/json"}, {"Content-Type": "text/csv"}
    rows = json.dumps([ROW] * 50)
    return [
        ("POST", f"{path}/predict", json.dumps(ROW), as_json, {200}),
        ("POST", f"{path}/predict?level=0.9", rows, as_json, {200}),
        ("POST", f"{path}/predict", table(200, 7), as_csv, {200}),
        ("POST", "/models/filler/fill?draws=3", rows, as_json, {200}),
        ("POST", "/models/filler/fill", table(100, 8), as_csv, {200}),
        ("POST", f"{path}/predict", '{"x0": "old"}', as_json, {400}),
        ("POST", f"{path}/predict", rows[:-40], as_json, {400}),
        ("POST", f"{path}/predict", os.urandom(300), as_csv, {400}),
        ("POST", f"{path}/predict", os.urandom(300), {"Content-Type": "application/vnd.apache.arrow.stream"}, {400}),
        ("POST", f"{path}/predict", "[" + rows * 60 + "]", as_json, {400, 413}),
        ("POST", f"{path}/fill", rows, as_json, {409}),
        ("POST", "/models/nobody/predict", rows, as_json, {404}),
        ("GET", "/models", None, {}, {200}),
        ("GET", "/metrics", None, {}, {200}),
        ("GET", "/openapi.json", None, {}, {200}),
        ("DELETE", "/models", None, {}, {405}),
    ]


def soak(program, folder, minutes, rate):
    fit(program, folder, "linear")
    options = ["--method", "gaussian", "--ignore", "y,c", "-o", "full.csv", "--save", "filler.unmiss", "--quiet"]
    subprocess.run([program, "impute", "train.csv", *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    server = Server(program, folder, ["linear.unmiss", "filler.unmiss"], "--body", "500000")
    counts, wrong, end = collections.Counter(), [], time.time() + 60 * minutes

    def client(seed):
        draw = random.Random(seed)
        while time.time() < end:
            if rate:
                time.sleep(draw.expovariate(rate / CLIENTS))
            method, path, body, headers, codes = draw.choice(requests("linear"))
            try:
                code, _ = server.ask(method, path, body, headers)
            except (http.client.HTTPException, OSError) as error:
                code = type(error).__name__
            # A body beyond the limit is refused before it is whole, which a sender may see as a broken pipe.
            if code in codes or (413 in codes and code in ("BrokenPipeError", "ConnectionResetError")):
                counts[code] += 1
            else:
                wrong.append((path, code))

    clients = [threading.Thread(target=client, args=[seed]) for seed in range(CLIENTS)]
    for one in clients:
        one.start()
    while time.time() < end:
        time.sleep(min(60, max(0.1, end - time.time())))
        passed, count = minutes - (end - time.time()) / 60, sum(counts.values())
        print(f"{passed:.1f} min: {count} requests, {server.memory():.1f} MB, {len(wrong)} wrong", flush=True)
    for one in clients:
        one.join()
    print(f"codes {dict(counts)}, wrong {wrong[:5]}, exit code {server.end()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["load", "soak"])
    parser.add_argument("--program", default="target/release/unmiss")
    parser.add_argument("--methods", default="linear,trees,mlp")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=0, help="requests a second, at most; 0: as many as can be")
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "train.csv").write_text(table(1000, 1))
        if asked.what == "load":
            load(program, folder, asked.methods.split(","), asked.seconds, asked.connections, asked.rate)
        else:
            soak(program, folder, asked.minutes, asked.rate)


if __name__ == "__main__":
    main()

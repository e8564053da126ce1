#!/bin/sh
# Times a NeuMiss epoch of unmiss and of PyTorch in turn and prints the medians and their ratio.
#
#   benches/neumiss_epoch.sh [ROUNDS]
#
# PYTHON names an interpreter that has PyTorch; without it a virtual environment is made in target/. OURS names the
# program to time, if it is built already. THREADS (2) is what both sides get; CLOCK=cpu counts processor time, for a
# busy machine.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
export THREADS="${THREADS:-2}"

if [ -z "${PYTHON:-}" ]; then
    PYTHON=target/torch/bin/python
    if [ ! -x "$PYTHON" ]; then
        python3 -m venv target/torch
        target/torch/bin/pip install --quiet torch numpy
    fi
fi

ours="${OURS:-cargo bench --quiet -p unmiss --bench neumiss_epoch}"
[ -n "${OURS:-}" ] || cargo bench --quiet -p unmiss --bench neumiss_epoch --no-run
times=$(mktemp)
trap 'rm -f "$times"' EXIT
for round in $(seq "$rounds"); do
    $ours | sed 's/^/unmiss /' >> "$times"
    "$PYTHON" benches/neumiss_epoch.py | sed 's/^/fused /' >> "$times"
    FUSED=0 "$PYTHON" benches/neumiss_epoch.py | sed 's/^/default /' >> "$times"
    echo "round $round of $rounds done" >&2
done

"$PYTHON" - "$times" <<'PYTHON'
import collections, statistics, sys
times = collections.defaultdict(list)
for line in open(sys.argv[1]):
    side, value = line.split()
    times[side].append(float(value))
ours = statistics.median(times["unmiss"])
print(f"unmiss {ours:.3f} s", end="")
for side in ("fused", "default"):
    theirs = statistics.median(times[side])
    print(f"; PyTorch, {side} Adam {theirs:.3f} s, {theirs / ours:.1f} times as long", end="")
print()
PYTHON

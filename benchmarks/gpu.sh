#!/usr/bin/env bash
# The tests that need a GPU, then ways to train `seed` on it, in under 8 minutes:
#
#     bash benchmarks/gpu.sh [FILE.json]
#
# Needs a Python (PYTHON, else python3) that has a PyTorch for CUDA; all else goes into a virtual
# environment of its own. Without a network, tell pip where wheels lie: PIP_NO_INDEX=1 PIP_FIND_LINKS=DIR.
set -euo pipefail
json=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
"$python" -c 'import sys, torch; sys.exit(None if torch.cuda.is_available() else "PyTorch finds no GPU here")'

place=build/gpu
"$python" -m venv --system-site-packages "$place"
# A Python that is of a virtual environment itself does not hand its packages on.
packages=$("$place/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1])' > "$packages/given.pth"
"$place/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
# rlgym-rocket-league ships the collision meshes, but asks for a numpy without Python 3.13 wheels.
"$place/bin/python" -c 'import sys; sys.exit(sys.version_info >= (3, 13))' \
    || "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps rlgym-rocket-league rlgym-api

# A test that fails leaves the rest of the rented minutes to be used.
failed=0
"$place/bin/python" -m pytest -q -m cuda tests || failed=$?
"$place/bin/python" -m benchmarks gpu ${json:+--json "$json"} || failed=$?
exit "$failed"

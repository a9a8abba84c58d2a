#!/bin/sh
# Starts the bot with the first Python that runs; start.py finds a better one if it must.
cd "$(dirname "$0")" || exit 1
for python in python3 python3.14 python3.13 python3.12 python3.11 "uv run --no-project --python 3.12 python"; do
    if $python -c "" >/dev/null 2>&1; then
        exec $python start.py "$@"
    fi
done
echo "This bot cannot start: there is no Python on this machine. Install Python 3.12, then start again." >&2
exit 1

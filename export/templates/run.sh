#!/bin/sh
# Starts the bot with whatever Python there is; start.py does the rest.
set -e
cd "$(dirname "$0")"
if ! command -v python3 >/dev/null 2>&1; then
    echo "This bot needs Python 3.11 to 3.14, and there is no python3 on the PATH." >&2
    exit 1
fi
exec python3 start.py

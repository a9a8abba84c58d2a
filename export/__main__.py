"""`python -m export`: the same commands as `rlppo`."""

from export.cli import main

main()

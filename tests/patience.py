"""How long a test waits for another process or a thread before it fails.

A machine that is busy starts a process many times as slowly as an idle one. Every wait ends with
what it waits for, so only a test that fails takes this long.
"""

PATIENCE_S = 60.0

"""Opponents that never change, by which everybody else is rated.

Chance itself lives in `trainer/evaluation/contestants.py`; here are a scripted chaser of the ball
and the reader of somebody's Nexto. Knows no rating and no game. Tested by `tests/trainer/anchors/`.
"""

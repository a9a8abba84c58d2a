"""Plays trained policies against each other, counts what they do, and chooses among them.

`engine.py` plays games in one batched simulator, `selection.py` chooses a checkpoint by a frozen
protocol, `versus.py` lets two play for once. Nothing in here trains, or opens what a run trained
on.
"""

"""How strong the versions of a run are: games between them and anchors, and what they come to.

`table.py` and `ladder_table.py` are the files that others read. Nothing in here trains.
"""

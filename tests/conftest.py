"""What holds for every test, and for every process that one starts."""

import os

# Before anything loads NumPy or PyTorch, which read it once. Threads add in another order, and
# those of tiny networks mostly wait for each other, on cores that other tests could use.
os.environ["OMP_NUM_THREADS"] = "1"

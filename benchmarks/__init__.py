"""What remakes the numbers of `docs/performance.md`: `python -m benchmarks growth` and `soak`.

Not part of what is installed. Fixed works are measured by `rlppo bench`.
"""

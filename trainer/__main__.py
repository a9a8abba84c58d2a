"""`python -m trainer`: the same commands as `rlppo`, without export and match."""

from trainer.cli import main

if __name__ == "__main__":
    main()

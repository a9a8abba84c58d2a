"""Whole sessions of a tiny run, and what they leave in its folder."""

from collections.abc import Callable

import torch
from torch import Tensor

from tests.trainer.tiny import tiny_config
from trainer import jsonl
from trainer.checkpoint_folder import list_checkpoints
from trainer.networks import ActorCritic
from trainer.rollout_tensors import RolloutTensors
from trainer.run_dir import RunDir
from trainer.sampling import chosen, masked_log_probs
from trainer.training import Request, train

LONG = "ppo.steps_per_iteration=4_000_000"
"""An iteration nobody waits for."""


def train_tiny(
    run: RunDir,
    *settings: str,
    iterations: int | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> None:
    train(Request(run, tiny_config(*settings), run.path, "the test", iterations), say)


def at(word: str, do: Callable[[], object]) -> Callable[[str], None]:
    """Do something when the trainer first says a line that begins with `word`."""
    waiting = [do]

    def say(line: str) -> None:
        if line.startswith(word) and waiting:
            waiting.pop()()

    return say


def kinds(run: RunDir) -> list[str]:
    return [record["kind"] for record in jsonl.read_all(run.events)]


def texts(run: RunDir, kind: str) -> list[str]:
    return [record["text"] for record in jsonl.read_all(run.events) if record["kind"] == kind]


def checkpoint_steps(run: RunDir) -> list[int]:
    return [int(folder.name) for folder in list_checkpoints(run)]


def log_probs_of(model: ActorCritic, rollout: RolloutTensors) -> Tensor:
    """(T, N) of the actions in `rollout`, by the weights that `model` has now."""
    with torch.no_grad():
        logits, _ = model(rollout.obs.flatten(0, 1))
    found = masked_log_probs(logits, rollout.masks.flatten(0, 1))
    return chosen(found, rollout.actions.flatten()).reshape(rollout.actions.shape)

"""A run with several checkpoints of untrained tiny actors, and short terms to select by."""

from pathlib import Path

import torch

from tests.trainer.tiny import tiny_config
from trainer.checkpoint import Counters, TrainingState, contract_of, save
from trainer.config_file import write_config
from trainer.evaluation.protocol import SelectionProtocol
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir


def make_run(folder: Path, *steps: int) -> RunDir:
    """A checkpoint after each of `steps`, whose weights are drawn by that number."""
    config = tiny_config()
    sizes = contract_of(config, 0)
    run = RunDir(folder)
    for number in steps:
        torch.manual_seed(number)
        model = ActorCritic(sizes.obs_width, sizes.num_actions, config.networks)
        save(run, config, TrainingState(model, {}, {}, Counters(steps=number)))
    write_config(run.config, config)
    return run


def short_terms(**sections: dict[str, object]) -> SelectionProtocol:
    """Games of two seconds from four starts, with `sections` over them."""
    tree: dict[str, dict[str, object]] = {
        "games": {"seconds": 2.0, "sampled": True},
        "starts": {"kickoffs": 1, "random": 3},
    }
    for name, values in sections.items():
        tree[name] = tree.get(name, {}) | values
    return SelectionProtocol.model_validate(tree)

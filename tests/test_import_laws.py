"""Who loads what, asked of a fresh interpreter: import-linter reads the code, this runs it."""

import subprocess
import sys

import pytest

LEARNING = ("torch", "safetensors")
GAME = ("rlbot", "rlbot_flatbuffers", "onnxruntime")
SCREEN = ("textual",)
ABOVE_THE_AGENT = ("trainer", "export", "tui", "onnx", "pydantic", "psutil")
ABOVE_THE_TRAINER = (*GAME, *SCREEN, "export", "tui", "onnx")

LAWS = {
    "rlbot_agent.contract rlbot_agent.manifest rlbot_agent.packages rlbot_agent.__main__": (
        *("numpy", "RocketSim"),
        *(*LEARNING, *GAME, *SCREEN, *ABOVE_THE_AGENT),
    ),
    (
        "rlbot_agent.field rlbot_agent.state rlbot_agent.rotation rlbot_agent.obs "
        "rlbot_agent.actions rlbot_agent.clock rlbot_agent.packet"
    ): ("RocketSim", *LEARNING, *GAME, *SCREEN, *ABOVE_THE_AGENT),
    "rlbot_agent.policy": ("RocketSim", "rlbot", *LEARNING, *SCREEN, "trainer", "onnx", "pydantic"),
    "rlbot_agent.bot rlbot_agent.check": (
        "RocketSim",
        *LEARNING,
        *SCREEN,
        "trainer",
        "export",
        "onnx",
        "pydantic",
    ),
    (
        "trainer.config trainer.config_file trainer.run_dir trainer.metrics trainer.control "
        "trainer.jsonl trainer.frames trainer.files trainer.cli trainer.live trainer.asking "
        "trainer.replay trainer.turning trainer.viewer_wishes "
        "trainer.checkpoint_marks trainer.checkpoint_list trainer.lineage trainer.branch "
        "trainer.steering trainer.cli_steering"
    ): ("RocketSim", "numpy", *LEARNING, *ABOVE_THE_TRAINER),
    "trainer.gae trainer.ppo trainer.rollout trainer.networks": (
        *("RocketSim", "trainer.sim", "trainer.env", "trainer.rewards", "trainer.reward_terms"),
        *ABOVE_THE_TRAINER,
    ),
    "trainer.collector": ("RocketSim", "torch", "trainer.ppo", *ABOVE_THE_TRAINER),
    "trainer.sim trainer.env": (*LEARNING, *ABOVE_THE_TRAINER),
    "trainer.learner trainer.training trainer.viewer": ABOVE_THE_TRAINER,
    "trainer.evaluation.selection trainer.evaluation.versus": (
        *("trainer.learner", "trainer.ppo", "trainer.training"),
        *ABOVE_THE_TRAINER,
    ),
    "export.cli": ("RocketSim", "numpy", *LEARNING, *GAME, *SCREEN, "onnx", "tui"),
    "tui.app tui.__main__": ("RocketSim", "numpy", *LEARNING, *GAME, "rlbot_agent", "export"),
}
"""Modules that are loaded together, and what they must never bring along, at any remove."""

CODE = """
import importlib, sys
for name in sys.argv[1].split():
    importlib.import_module(name)
print(*(name for name in sys.argv[2:] if name in sys.modules))
"""


def loaded(modules: str, *watched: str) -> list[str]:
    """Which of the `watched` are in memory after a fresh interpreter has loaded `modules`."""
    command = [sys.executable, "-c", CODE, modules, *watched]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("modules", LAWS)
def test_nobody_loads_what_is_forbidden_to_them(modules: str) -> None:
    assert loaded(modules, *LAWS[modules]) == []


def test_a_module_that_was_loaded_would_be_seen() -> None:
    assert loaded("rlbot_agent.obs", "torch", "numpy") == ["numpy"]

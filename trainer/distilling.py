"""What a run does to learn from a teacher: how it plays then, and what its folder says of it.

The learning itself is in `distillation.py`. Knows no command line. Tested by
`tests/trainer/test_distilling.py`.
"""

import json
from pathlib import Path

import torch

from trainer.config import RunConfig
from trainer.distillation import Distillation
from trainer.run_dir import RunDir
from trainer.second_look import SecondLook
from trainer.teacher_note import TeacherNote, read_note, write_note
from trainer.teachers import Teacher


class School:
    """One session's teacher, and the place where it sees what the student plays."""

    def __init__(self, teacher: Teacher, config: RunConfig, device: torch.device) -> None:
        """Make room for the rollouts of `config`; `device` is where the student learns."""
        self.teacher = teacher
        self.look = SecondLook(config, teacher.obs_name, teacher.max_team_size)
        """To be filled by who plays."""
        teacher.actor.to(device)
        self.lesson = Distillation(teacher, torch.from_numpy(self.look.seen))
        """To be learned from each rollout."""

    def warnings(self, config: RunConfig) -> list[str]:
        """What a person should know, one sentence each."""
        pairs = (
            ("tick_skip", self.teacher.tick_skip, config.sim.tick_skip),
            ("action_delay", self.teacher.action_delay, config.sim.action_delay),
        )
        wrong = [
            f"{name} {there} and not {here}"
            for name, there, here in pairs
            if there not in (None, here)
        ]
        if not wrong:
            return []
        return [f"the teacher was trained with {' and '.join(wrong)}: it judges by another clock"]

    def words(self, run: RunDir, config: RunConfig) -> str:
        """For the start event; to be asked before `note`."""
        before, transfer = read_note(run), config.transfer
        words = (
            f"learns from {self.teacher.words} (sha256 {self.teacher.sha256[:12]}) by "
            f"{transfer.loss} at learning rate {transfer.learning_rate:g}; the critic is left alone"
        )
        if before and before.sha256 != self.teacher.sha256:
            words += f"; until now another one taught (sha256 {before.sha256[:12]})"
        settings = {"ppo.overlap": config.ppo.overlap, "selfplay.chance": config.selfplay.chance}
        if idle := [name for name, value in settings.items() if value]:
            words += f"; {' and '.join(idle)} have no effect meanwhile"
        return words

    def note(self, run: RunDir) -> None:
        """Write into the run folder who teaches."""
        teacher = self.teacher
        write_note(run, TeacherNote(teacher.words, teacher.sha256, str(teacher.path)))


def played(config: RunConfig) -> RunConfig:
    """How a student plays: each rollout by its newest weights."""
    return config.model_copy(update={"ppo": config.ppo.model_copy(update={"overlap": False})})


def was_taught(checkpoint: Path) -> bool:
    """Whether the last thing that a checkpoint's weights went through was a distillation."""
    counters = json.loads((checkpoint / "state.json").read_text())["counters"]
    return ends_taught(counters.get("taught", 0), counters["steps"])


def ends_taught(taught: int, steps: int) -> bool:
    """Whether a run has learned nothing since a distillation, by its `Counters`."""
    return 0 < taught == steps


def after_words(config: RunConfig) -> str:
    """For the start event of PPO's first session after a distillation."""
    alone = config.ppo.critic_warmup_steps
    then = f"learns alone for {alone:,} steps" if alone else "learns beside the actor at once"
    return (
        "the actor comes from a distillation, which left the critic alone: it "
        f"{then} (ppo.critic_warmup_steps)"
    )

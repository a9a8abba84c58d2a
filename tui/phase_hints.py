"""What bounds a run, and the one thing to try about it, after `docs/performance.md`.

Pure, and known by the mean times of the phases and the config only. Tested by
`tests/tui/test_phase_hints.py`.
"""

from typing import NamedTuple

from trainer.config import RunConfig
from tui.phase_times import Kind, Times

_SAVING_FROM = 0.2
"""Share of an iteration from which writing is what to look at."""
_WAITING_FROM = 0.1
"""Share of a rollout, or of an iteration with `ppo.overlap`, from which waiting is."""
_WORTH_HIDING = 0.2
"""Share of an iteration that is worth playing beside the rest of it."""
_CPU_ROWS = (2_000, 8_000)
"""Rows of a minibatch that are fastest on a CPU."""


class Bound(NamedTuple):
    """What holds a run up."""

    kind: Kind
    """What it spends its time with."""
    hint: str
    """One thing to try, in a sentence."""


def bound(times: Times, config: RunConfig, device: str) -> Bound | None:
    """What bounds a run of these mean `times` on `device`, in the trainer's words of it.

    None while nothing was measured.
    """
    iteration, on_cpu = times["iteration"], device.startswith("cpu")
    if not iteration:
        return None
    if times.save > _SAVING_FROM * iteration:
        return Bound("saving", _saving(times, config))
    if config.ppo.overlap and not times.taught:
        return _overlapped(times, config, on_cpu=on_cpu)
    if times["collect"] < times["update"]:
        return Bound("learning", _learning(times, config, on_cpu=on_cpu))
    return _playing(times, config, on_cpu=on_cpu)


def _overlapped(times: Times, config: RunConfig, *, on_cpu: bool) -> Bound:
    if on_cpu:
        kind: Kind = "playing" if times["collect"] > times["update"] else "learning"
        return Bound(
            kind,
            "Try ppo.overlap = false: on a CPU playing and learning want the same cores, and by "
            "turns they keep them busy too.",
        )
    if times["collect"] > _WAITING_FROM * times["iteration"]:
        return _playing(times, config, on_cpu=on_cpu)
    return Bound("learning", _learning(times, config, on_cpu=on_cpu))


def _saving(times: Times, config: RunConfig) -> str:
    if times["save"] > times["publish"]:
        every = config.checkpoint.every_steps
        return f"Save less often: raise checkpoint.every_steps, {every:,} now."
    steps = config.ppo.steps_per_iteration
    return f"Write less often: longer rollouts (ppo.steps_per_iteration, {steps:,} now)."


def _playing(times: Times, config: RunConfig, *, on_cpu: bool) -> Bound:
    central = config.sim.inference == "central" or (config.sim.inference == "auto" and not on_cpu)
    if times["waiting"] > _WAITING_FROM * times["rollout"]:
        return Bound("waiting", _waiting(central=central))
    hidden = times["update"] > _WORTH_HIDING * times["iteration"]
    if hidden and not on_cpu and _may_overlap(times, config):
        return Bound("playing", "Set ppo.overlap = true: it plays while the GPU learns.")
    largest = max(times["physics"], times["decisions"], times.reading)
    if largest == times["decisions"] and largest:
        return Bound("playing", _deciding(config, central=central))
    if largest == times["physics"]:
        return Bound("playing", _simulating(config))
    return Bound(
        "playing",
        "Set more sim.arenas, up to 128 a worker: what numpy reads and pays, it does for all of a "
        "worker at once. `rlppo tune` measures it.",
    )


def _waiting(*, central: bool) -> str:
    if central:
        return (
            "Try sim.workers of twice the cores: while some wait for the GPU's decisions, others "
            "play."
        )
    return (
        "Workers wait for the slowest of them, so the cores do something else too: end that, or "
        "set sim.workers to one fewer than there are cores."
    )


def _deciding(config: RunConfig, *, central: bool) -> str:
    if central:
        return "Set more sim.arenas: a GPU decides for many cars in hardly more time than for few."
    if config.ppo.actor_precision == "f32":
        return (
            "Set ppo.actor_precision and ppo.critic_precision to bf16, where `rlppo check` says "
            "that it pays here; else smaller networks."
        )
    return "Take smaller networks: workers spend most of their time in them."


def _simulating(config: RunConfig) -> str:
    if config.sim.workers:
        return (
            f"Set sim.workers = 0, a worker for each core ({config.sim.workers} now); `rlppo tune` "
            "measures which number is fastest here."
        )
    return (
        "Physics takes what it takes: only more cores make it faster. `rlppo tune` measures "
        "whether sim.arenas and sim.workers are the best for these."
    )


def _may_overlap(times: Times, config: RunConfig) -> bool:
    """Whether `ppo.overlap` is off and would change something."""
    return not config.ppo.overlap and not times.taught


def _learning(times: Times, config: RunConfig, *, on_cpu: bool) -> str:
    ppo, (least, most) = config.ppo, _CPU_ROWS
    name, count = ("transfer", config.transfer.epochs) if times.taught else ("ppo", ppo.epochs)
    epochs = f"{name}.epochs, {count} now"
    if not on_cpu:
        if _may_overlap(times, config) and times["collect"] > _WORTH_HIDING * times["iteration"]:
            return "Set ppo.overlap = true: it plays the next rollout while the GPU learns."
        if ppo.minibatch_size < ppo.batch_size:
            return (
                f"Raise ppo.minibatch_size, {ppo.minibatch_size:,} now, as far as the GPU's memory "
                "allows: it changes nothing else."
            )
        return f"Fewer {epochs}, or smaller networks."
    if not least <= ppo.minibatch_size <= most:
        return (
            f"Set ppo.minibatch_size from {least:,} to {most:,}, {ppo.minibatch_size:,} now: it is "
            "fastest on a CPU and changes nothing else."
        )
    if "f32" in (ppo.actor_precision, ppo.critic_precision):
        return (
            "Set ppo.actor_precision and ppo.critic_precision to bf16, where `rlppo check` says "
            f"that it pays here; else fewer {name}.epochs, or a GPU."
        )
    return f"Fewer {epochs}, smaller networks, or a GPU."

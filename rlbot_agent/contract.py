"""What a trained actor expects of the body that runs it: the words that travel with the weights.

The same record stands in the checkpoint, in the ONNX metadata and in the bundle's manifest; every
reader compares it with what it is about to do and refuses a difference. Knows no file format but
JSON and loads nothing but the standard library. Tested by `tests/rlbot_agent/test_contract.py`.
"""

import json
from dataclasses import asdict, dataclass, fields

from rlbot_agent.modes import teams_of


class ContractError(Exception):
    """Two sides of a contract differ; the message shows both."""


@dataclass(frozen=True)
class Contract:
    """One trained actor: its senses, its muscles, its clock, its size, its origin."""

    obs_name: str
    """Which observation builder, one of `rlbot_agent.observation`."""
    obs_hash: str
    """Hash of that builder's layout: terms, order, scales."""
    obs_width: int
    """D, floats an agent sees."""
    num_actions: int
    """A, rows of the action table."""
    action_hash: str
    """Hash of the action table."""
    action_masks: bool
    """Whether impossible actions are masked before choosing."""
    tick_skip: int
    """Ticks (1/120 s) an action is held."""
    action_delay: int
    """Ticks from the observation to the first tick its action acts on."""
    modes: tuple[str, ...]
    """Games it was trained in, blue v orange cars: "2v2". At least one."""
    max_team_size: int
    """Team size the observation is zero-padded to; 0 when it is not, and there is one mode."""
    actor_layers: tuple[int, ...]
    """Hidden widths of the network that plays, layers shared with the critic included."""
    norm: str
    """Normalisation between its layers."""
    activation: str
    """What follows each of its hidden layers."""
    steps: int
    """Agent steps of training behind the weights."""
    checkpoint_hash: str
    """SHA-256 of the actor's safetensors file; empty before the first save."""
    config_hash: str
    """SHA-256 of the run's config.toml."""
    source_revision: str
    """Version, and commit where there is one, of the trainer."""

    @property
    def teams(self) -> tuple[int, ...]:
        """Team of each car in the first of its modes: all blue (0), then all orange (1)."""
        return teams_of(self.modes[0])

    def to_json(self) -> str:
        """One JSON object with sorted keys, so that equal contracts are equal bytes."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Contract":
        """The reverse of `to_json`.

        Raises:
            ContractError: When a field is missing, unknown or of another type.
        """
        try:
            found = json.loads(text)
        except json.JSONDecodeError as error:
            raise ContractError(f"the contract is not JSON: {error}") from error
        known = {field.name for field in fields(cls)}
        if not isinstance(found, dict) or set(found) != known:
            names = set(found) if isinstance(found, dict) else set()
            lacking, unknown = sorted(known - names), sorted(names - known)
            raise ContractError(f"the contract lacks {lacking} and has unknown {unknown}")
        modes, layers = tuple(found.pop("modes")), tuple(found.pop("actor_layers"))
        return cls(modes=modes, actor_layers=layers, **found)

    def require(self, trained_in: str, runs_in: str, **expected: object) -> None:
        """Refuse unless each named field has the expected value.

        Args:
            trained_in: What holds this contract, for the sentence ("policy.onnx").
            runs_in: What expects otherwise, for the sentence ("this agent").
            **expected: Field names of `Contract` with the values that `runs_in` has.

        Raises:
            ContractError: Naming every field that differs, with both values.
        """
        wrong = [
            f"{name} is {getattr(self, name)!r} in {trained_in} but {value!r} in {runs_in}"
            for name, value in expected.items()
            if getattr(self, name) != value
        ]
        if wrong:
            raise ContractError(
                "; ".join(wrong) + ": export again, or use the release that trained it"
            )

"""The trained actor: policy.onnx on the CPU, and the check that it fits this agent.

The only import of onnxruntime. The model's input is `obs` (n, D) float32, its output `logits`
(n, A); its metadata holds the contract. Knows no game. Tested by
`tests/rlbot_agent/test_policy.py`.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import NUM_ACTIONS, TABLE_HASH
from rlbot_agent.contract import Contract, ContractError
from rlbot_agent.observation import ObservationError, make_observation
from rlbot_agent.packages import why_not
from rlbot_agent.state import Array

CONTRACT_KEY: Final = "rlppo.contract"
"""Under which the ONNX metadata holds `Contract.to_json`."""


class PolicyError(Exception):
    """The policy cannot be used; one sentence says why."""


class OnnxPolicy:
    """A deterministic policy: the likeliest of the possible actions."""

    def __init__(self, path: Path) -> None:
        """Load the model at `path`.

        Raises:
            PolicyError: When onnxruntime or the model cannot be loaded.
            ContractError: When the model was trained for another agent than this.
        """
        self._session = _open_session(path)
        self.contract: Contract = _read_contract(self._session, path)
        """What the model was trained with."""
        require_fit(self.contract, path.name)

    def warm_up(self) -> None:
        """Decide once, of nothing: the first time is the slowest."""
        self.logits(np.zeros((1, self.contract.obs_width), np.float32))

    def logits(self, obs: Array) -> Array:
        """(n, D) float32 observations to (n, A) unmasked logits."""
        (logits,) = self._session.run(["logits"], {"obs": obs})
        found: Array = logits
        return found

    def act(self, obs: Array, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """Choose for n agents.

        Args:
            obs: (n, D) float32.
            masks: (n, A) True where an action is possible; ignored by a policy that was trained
                without masks.

        Returns:
            (n,) rows of the action table.
        """
        logits = self.logits(obs)
        if self.contract.action_masks:
            logits = np.where(masks, logits, -np.inf)
        chosen: npt.NDArray[np.intp] = logits.argmax(axis=-1)
        return chosen


def require_fit(contract: Contract, trained_in: str) -> None:
    """Refuse a contract that this agent's senses or muscles do not meet.

    Args:
        contract: Of the policy.
        trained_in: The policy's name, for the sentence.

    Raises:
        ContractError: Naming each field that differs, with both values.
    """
    try:
        obs = make_observation(contract.obs_name, contract.teams, contract.max_team_size)
    except ObservationError as error:
        raise ContractError(f"{trained_in} does not fit this agent: {error}") from error
    contract.require(
        trained_in,
        "this agent",
        obs_hash=obs.layout_hash,
        obs_width=obs.width,
        action_hash=TABLE_HASH,
        num_actions=NUM_ACTIONS,
    )


def _open_session(path: Path) -> Any:  # noqa: ANN401
    try:
        import onnxruntime
    except ImportError as error:
        raise PolicyError(why_not("onnxruntime", error)) from error
    if not path.is_file():
        raise PolicyError(f"there is no policy at {path}")
    options = onnxruntime.SessionOptions()
    # By default a pool of spinning threads would take CPU time from the game.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            path.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's own exceptions share no base class
        raise PolicyError(f"{path} is not a model that onnxruntime can load: {error}") from error


def _read_contract(session: Any, path: Path) -> Contract:  # noqa: ANN401
    text = session.get_modelmeta().custom_metadata_map.get(CONTRACT_KEY)
    if text is None:
        raise ContractError(f"{path} holds no contract: export it with rlppo export")
    return Contract.from_json(text)

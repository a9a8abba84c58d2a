"""Named tensors out of a file that another trainer wrote; nothing that is in it is run.

Two kinds are read: safetensors, and `torch.save(policy.state_dict(), file)`, by the unpickler of
PyTorch that makes tensors and plain containers and nothing else (`weights_only=True`). The latter
is rlgym-ppo's PPO_POLICY.pt (`PPOLearner.save_to` in rlgym_ppo/ppo/ppo_learner.py of
github.com/AechPro/rlgym-ppo).

TorchScript is refused: a `__setstate__` in it runs while it is loaded, and may write files. It is
what RLGymPPO_CPP and GigaLearn save (PPO_POLICY.lt, POLICY.lt, by libtorch's `torch::save`).

Knows no network and no observation. Tested by `tests/trainer/test_foreign_weights.py`.
"""

import pickle
import struct
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_safetensors
from torch import Tensor

Tensors = Mapping[str, Tensor]

HOW_TO_SAVE: Final = "torch.save(policy.state_dict(), file)"
_ZIP, _PICKLE, _GZIP = b"PK", b"\x80", b"\x1f\x8b"
_MOMENTS: Final = (".exp_avg", ".exp_avg_sq", ".momentum_buffer", ".square_avg")
"""What the names of an optimizer's tensors end in."""


class WeightsError(Exception):
    """These weights cannot be used; the message is one sentence for a person."""


def read_tensors(file: Path) -> dict[str, Tensor]:
    """Every tensor of `file` by its name there, finite, float32 and on the CPU.

    Raises:
        WeightsError: When the file is of no kind that is read here, is damaged, holds something
            else than weights by name, or a number that is not finite.
    """
    try:
        with file.open("rb") as opened:
            start = opened.read(9)
    except OSError as error:
        raise WeightsError(f"{file} cannot be read ({error.strerror})") from error
    # A safetensors file is the length of its header in 8 bytes, then JSON.
    if start[8:] == b"{":
        found = _from_safetensors(file)
    elif start.startswith((_ZIP, _PICKLE)):
        found = _from_torch(file)
    else:
        raise WeightsError(f"{file} {_other_kind(start)}")
    if not found:
        raise WeightsError(f"{file} holds no weights")
    if any(name.endswith(_MOMENTS) for name in found):
        raise _optimizer(file)
    return {name: _numbers(file, name, tensor) for name, tensor in found.items()}


def _other_kind(start: bytes) -> str:
    """Why a file that begins so is not read."""
    if not start:
        return "is empty"
    if start.startswith(_GZIP):
        return (
            "is compressed, as Burn's records are: weights are read from safetensors with "
            "PyTorch's names and shapes (docs/distillation.md)"
        )
    return f"holds no weights that are known here: neither safetensors nor {HOW_TO_SAVE}"


def _from_safetensors(file: Path) -> Tensors:
    try:
        return load_safetensors(file.read_bytes())
    except (SafetensorError, ValueError, KeyError) as error:
        raise WeightsError(f"{file} is damaged: {error}") from error


def _from_torch(file: Path) -> Tensors:
    if _is_torchscript(file):
        raise WeightsError(
            f"{file} is TorchScript, a program that would run while it is read: save its weights "
            "alone, as docs/distillation.md shows"
        )
    try:
        with warnings.catch_warnings(action="ignore"):  # of damage, which is told of here
            found = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise WeightsError(
            f"{file} is damaged, or holds more than weights and would run code to be read: "
            f"only {HOW_TO_SAVE} is read"
        ) from error
    except (
        *(RuntimeError, EOFError, OSError, ValueError, TypeError, AttributeError),
        *(LookupError, AssertionError, struct.error),
    ) as error:
        raise WeightsError(f"{file} is damaged: PyTorch cannot read it") from error
    return _named(file, found)


def _is_torchscript(file: Path) -> bool:
    """Whether it is an archive with code in it."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False  # PyTorch says what it makes of it.
    return any("/code/" in name or name.endswith("/constants.pkl") for name in names)


def _named(file: Path, found: object) -> Tensors:
    """What was unpickled, if it is tensors by name."""
    if not isinstance(found, Mapping):
        raise WeightsError(f"{file} holds no weights by name: only {HOW_TO_SAVE} is read")
    if {"state", "param_groups"} <= found.keys():
        raise _optimizer(file)
    wrong = [
        str(name)
        for name, tensor in found.items()
        if not isinstance(name, str) or not isinstance(tensor, Tensor)
    ]
    if wrong:
        raise WeightsError(
            f"{file} holds more than the weights of one network ({', '.join(wrong[:4])}): "
            f"only {HOW_TO_SAVE} is read"
        )
    return found


def _optimizer(file: Path) -> WeightsError:
    return WeightsError(
        f"{file} is the state of an optimizer: a teacher is the policy's file, such as "
        "PPO_POLICY.pt or actor.safetensors"
    )


def _numbers(file: Path, name: str, tensor: Tensor) -> Tensor:
    """`tensor` in float32, if it is whole and finite."""
    if tensor.layout != torch.strided or not tensor.is_floating_point() or not _is_held(tensor):
        raise WeightsError(f"{name!r} in {file} is no array of real numbers")
    if not torch.isfinite(tensor).all():
        raise WeightsError(f"{name!r} in {file} holds a number that is not finite")
    return tensor.detach().float()


def _is_held(tensor: Tensor) -> bool:
    """Whether a number is there for every element: a view can claim to be of any size."""
    return tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes()

"""TorchScript files of Nexto's signature, and of others, that tests write for themselves."""

import warnings
from pathlib import Path

import torch
from torch import Tensor

State = tuple[Tensor, Tensor, Tensor]
MATRIX = torch.randn(32 + 24, 90, generator=torch.Generator().manual_seed(0)).double() / 10


class Stub(torch.nn.Module):
    """Logits that depend on all inputs; the weights stand for those of attention."""

    def __init__(self, logits: int = 90) -> None:
        super().__init__()
        self.matrix = torch.nn.Parameter(MATRIX[:, :logits].float())

    def forward(self, state: State) -> tuple[Tensor, list[Tensor]]:
        query, entities, mask = state
        seen = torch.cat([query[:, 0], entities.sum(1)], -1)
        return seen @ self.matrix + mask.sum(-1, keepdim=True), [mask.unsqueeze(1)]


class LogitsAlone(Stub):
    def forward(self, state: State) -> Tensor:
        query, entities, _ = state
        return torch.cat([query[:, 0], entities.sum(1)], -1) @ self.matrix


class NotFinite(Stub):
    """Sound in front of nothing, as when it is loaded; broken in front of a ball."""

    def forward(self, state: State) -> tuple[Tensor, list[Tensor]]:
        query, entities, mask = state
        logits = torch.cat([query[:, 0], entities.sum(1)], -1) @ self.matrix
        return torch.where(entities.abs().sum() > 0, logits / 0, logits), [mask]


class TakesATensor(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x


def write_stub(path: Path, module: torch.nn.Module | None = None) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.jit.script(module or Stub()).save(str(path))  # type: ignore[no-untyped-call]
    return path

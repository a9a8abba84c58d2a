import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from tests.trainer.foreign import DiscreteFF, save_pickled, save_weights
from trainer.foreign_weights import WeightsError, read_tensors

POLICY = DiscreteFF(6, 5, 4)
NAMES = [f"model.{index}.{kind}" for index in (0, 2, 4) for kind in ("weight", "bias")]


@pytest.mark.parametrize("save", [save_weights, save_pickled])
def test_tensors_come_back_by_name(save: Callable[[nn.Module, Path], Path], tmp_path: Path) -> None:
    found = read_tensors(save(POLICY, tmp_path / "it"))
    assert sorted(found) == sorted(NAMES)
    for name, tensor in POLICY.state_dict().items():
        assert torch.equal(found[name], tensor)


def test_files_of_pytorch_before_its_zip_format_are_read(tmp_path: Path) -> None:
    file = tmp_path / "PPO_POLICY.pt"
    torch.save(POLICY.state_dict(), file, _use_new_zipfile_serialization=False)
    assert torch.equal(read_tensors(file)["model.0.weight"], POLICY.model[0].weight)  # type: ignore[arg-type]


def test_half_precision_becomes_float32(tmp_path: Path) -> None:
    found = read_tensors(save_weights(DiscreteFF(2, 3).half(), tmp_path / "it"))
    assert {tensor.dtype for tensor in found.values()} == {torch.float32}


class Writes:
    """Writes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.write_text, (self._file, "written")


def test_a_file_that_would_run_code_is_refused_and_nothing_was_run(tmp_path: Path) -> None:
    victim, file = tmp_path / "victim", tmp_path / "PPO_POLICY.pt"
    torch.save(POLICY.state_dict() | {"model.9.weight": Writes(victim)}, file)
    assert_refused(file, r"damaged, or holds more than weights and would run code")
    file.write_bytes(pickle.dumps(Writes(victim), protocol=2))
    assert_refused(file, r"damaged, or holds more than weights|PyTorch cannot read it")
    assert not victim.exists()
    pickle.loads(file.read_bytes())
    assert victim.read_text() == "written", "the files are harmless, so this shows nothing"


class Programmed(nn.Module):
    """TorchScript that writes a file while it is loaded."""

    def __init__(self, victim: str) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2, 2))
        self.victim = victim

    @torch.jit.export
    def __getstate__(self) -> tuple[Tensor, bool, str]:
        return self.weight, self.training, self.victim

    @torch.jit.export
    def __setstate__(self, state: tuple[Tensor, bool, str]) -> None:
        self.weight = state[0]
        self.training = state[1]
        self.victim = state[2]
        torch.save(state[0], state[2])

    def forward(self, rows: Tensor) -> Tensor:
        return rows @ self.weight


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_torchscript_is_refused_and_nothing_was_run(tmp_path: Path) -> None:
    victim, file = tmp_path / "victim", tmp_path / "PPO_POLICY.lt"
    torch.jit.save(torch.jit.script(Programmed(str(victim))), file)  # type: ignore[no-untyped-call]
    assert_refused(file, "is TorchScript, a program that would run while it is read")
    assert not victim.exists()
    torch.jit.load(file)  # type: ignore[no-untyped-call]
    assert victim.exists(), "the file is harmless, so this shows nothing"


def test_a_whole_module_is_refused(tmp_path: Path) -> None:
    torch.save(POLICY, tmp_path / "policy.pt")
    assert_refused(tmp_path / "policy.pt", r"only torch.save\(policy.state_dict\(\), file\) is")


def test_the_state_of_an_optimizer_is_refused(tmp_path: Path) -> None:
    adam = torch.optim.Adam(POLICY.parameters())
    torch.save(adam.state_dict(), tmp_path / "PPO_POLICY_OPTIMIZER.pt")
    assert_refused(tmp_path / "PPO_POLICY_OPTIMIZER.pt", "is the state of an optimizer")
    moments = {"actor.layers.0.weight.exp_avg": torch.zeros(2)}
    save_file(moments, tmp_path / "optimizer.safetensors")
    assert_refused(tmp_path / "optimizer.safetensors", "such as PPO_POLICY.pt or actor.safe")


def test_a_dictionary_of_several_things_is_refused_by_what_it_holds(tmp_path: Path) -> None:
    torch.save({"epoch": 3, "model": POLICY.state_dict()}, tmp_path / "all.pt")
    assert_refused(tmp_path / "all.pt", r"more than the weights of one network \(epoch, model\)")
    torch.save([torch.zeros(2)], tmp_path / "list.pt")
    assert_refused(tmp_path / "list.pt", "holds no weights by name")
    torch.save({}, tmp_path / "nothing.pt")
    assert_refused(tmp_path / "nothing.pt", "holds no weights$")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b\x08\x00", "is compressed, as Burn's records are"),
        (b"once upon a time", "holds no weights that are known here"),
        (b"PK\x03\x04 and no archive", "PyTorch cannot read it"),
        (b"\x80\x02 and no pickle", "damaged"),
        (b"\x20\x00\x00\x00\x00\x00\x00\x00{", "is damaged"),
    ],
)
def test_a_file_of_something_else_is_refused(data: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    assert_refused(tmp_path / "file", why)


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path, "cannot be read")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused_by_name(number: float, tmp_path: Path) -> None:
    policy = DiscreteFF(2, 3)
    nn.init.constant_(policy.model[2].bias, number)  # type: ignore[arg-type]
    file = save_pickled(policy, tmp_path / "PPO_POLICY.pt")
    assert_refused(file, r"'model\.2\.bias' in .*PPO_POLICY\.pt holds a number that is not finite")


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(2, 2, dtype=torch.int64),
        torch.zeros(2, 2, dtype=torch.complex64),
        torch.zeros(1).expand(1 << 20, 1 << 20),
        torch.eye(2).to_sparse(),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(tensor: Tensor, tmp_path: Path) -> None:
    torch.save({"0.weight": tensor}, tmp_path / "file.pt")
    assert_refused(tmp_path / "file.pt", "'0.weight' in .* is no array of real numbers")


@pytest.mark.parametrize("save", [save_weights, save_pickled])
def test_a_damaged_file_is_read_or_refused_and_never_a_crash(
    save: Callable[[nn.Module, Path], Path], tmp_path: Path
) -> None:
    file = save(DiscreteFF(2, 3), tmp_path / "it")
    whole, rng = file.read_bytes(), random.Random(0)
    refused = 0
    for _ in range(300):
        data = bytearray(whole[: rng.choice((len(whole), rng.randrange(len(whole))))])
        for _ in range(rng.randrange(1, 6)):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        file.write_bytes(data)
        try:
            read_tensors(file)
        except WeightsError:
            refused += 1
    assert refused > 100


def assert_refused(file: Path, why: str) -> None:
    with pytest.raises(WeightsError, match=why) as found:
        read_tensors(file)
    assert str(file) in str(found.value)
    assert "\n" not in str(found.value)

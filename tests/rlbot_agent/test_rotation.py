import numpy as np
import pytest
import RocketSim

from rlbot_agent.rotation import angles_from_axes, axes_from_angles


def random_angles(num: int) -> np.ndarray:
    limits = np.pi * np.array((0.49, 1, 1))
    return np.random.default_rng(0).uniform(-limits, limits, (num, 3))


def test_axes_agree_with_the_simulator() -> None:
    angles = random_angles(200)
    axes = axes_from_angles(angles)
    for index, (pitch, yaw, roll) in enumerate(angles.tolist()):
        matrix = RocketSim.Angle(yaw=yaw, pitch=pitch, roll=roll).as_rot_mat()
        for ours, theirs in zip(axes, (matrix.forward, matrix.right, matrix.up), strict=True):
            np.testing.assert_allclose(ours[index], theirs.as_tuple(), atol=1e-6)


def test_angles_come_back_from_the_axes() -> None:
    angles = random_angles(200).reshape(20, 10, 3)
    axes = axes_from_angles(angles)
    np.testing.assert_allclose(angles_from_axes(axes.forward, axes.up), angles, atol=1e-4)


@pytest.mark.parametrize(
    ("pitch", "yaw", "roll", "forward", "right", "up"),
    [
        (0, 0, 0, (1, 0, 0), (0, 1, 0), (0, 0, 1)),
        (0, 90, 0, (0, 1, 0), (-1, 0, 0), (0, 0, 1)),  # turned left
        (90, 0, 0, (0, 0, 1), (0, 1, 0), (-1, 0, 0)),  # nose to the sky
        (0, 0, 90, (1, 0, 0), (0, 0, -1), (0, 1, 0)),  # on its right side
    ],
)
def test_quarter_turns_point_where_they_should(
    pitch: float,
    yaw: float,
    roll: float,
    forward: tuple[float, ...],
    right: tuple[float, ...],
    up: tuple[float, ...],
) -> None:
    axes = axes_from_angles(np.radians((pitch, yaw, roll)))
    np.testing.assert_allclose(axes, (forward, right, up), atol=1e-7)

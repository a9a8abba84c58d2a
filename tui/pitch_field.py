"""The empty pitch from above: where a place of the field lies on the screen, and its lines.

The pitch lies with blue's goal left when there is more width than height, else with it below.
Seen from above with +y up, the game's +x points left. Lengths in uu. Knows no frame. Tested by
`tests/tui/test_pitch_canvas.py` and `tests/tui/test_pitch_field.py`.
"""

import math
from dataclasses import dataclass

from tui.braille import Cell, Dots

# The game's field; the bot's own copy of it is out of the dashboard's reach, for it needs numpy.
SIDE_WALL = 4096.0
BACK_WALL = 5120.0
CORNER_CUT = 1152.0
GOAL_HALF_WIDTH = 893.0
GOAL_DEPTH = 880.0
CENTRE_CIRCLE = 1000.0

PADS = (
    (0, -4240), (-1792, -4184), (1792, -4184), (-3072, -4096), (3072, -4096),
    (-940, -3308), (940, -3308), (0, -2816), (-3584, -2484), (3584, -2484),
    (-1788, -2300), (1788, -2300), (-2048, -1036), (0, -1024), (2048, -1036),
    (-3584, 0), (-1024, 0), (1024, 0), (3584, 0), (-2048, 1036),
    (0, 1024), (2048, 1036), (-1788, 2300), (1788, 2300), (-3584, 2484),
    (3584, 2484), (0, 2816), (-940, 3308), (940, 3308), (-3072, 4096),
    (3072, 4096), (-1792, 4184), (1792, 4184), (0, 4240),
)  # fmt: skip
"""x, y of every boost pad, in the order of `rlbot_agent.field.PAD_POSITIONS`."""
BIG_PADS = (3, 4, 15, 18, 29, 30)
"""Which of them fill the tank."""

_MARGIN = 60.0  # uu around everything, so that no line lies on the edge of a cell


@dataclass(frozen=True)
class View:
    """How a field fits into `columns` x `rows` cells, with square dots, as large as it goes."""

    columns: int
    rows: int

    @property
    def horizontal(self) -> bool:
        """Whether blue's goal is left; otherwise it is below."""
        return self.columns * 2 > self.rows * 4

    @property
    def uu_per_dot(self) -> float:
        """The scale."""
        long, short = 2 * self.columns, 4 * self.rows
        if not self.horizontal:
            long, short = short, long
        return max(
            2 * (BACK_WALL + GOAL_DEPTH + _MARGIN) / long,
            2 * (SIDE_WALL + _MARGIN) / short,
        )

    def dot(self, x: float, y: float) -> tuple[float, float]:
        """Dots right and down of the top left corner, for a place on the field."""
        right, up = (y, x) if self.horizontal else (-x, y)
        return self.columns + right / self.uu_per_dot, 2 * self.rows - up / self.uu_per_dot

    def cell(self, x: float, y: float) -> Cell:
        """The (column, row) that holds a place; it may lie outside."""
        across, down = self.dot(x, y)
        return math.floor(across / 2), math.floor(down / 4)

    def place(self, cell: Cell) -> tuple[float, float]:
        """x, y in the middle of a cell; the reverse of `cell`."""
        right = (2 * cell[0] + 1 - self.columns) * self.uu_per_dot
        up = (2 * self.rows - 4 * cell[1] - 2) * self.uu_per_dot
        return (up, right) if self.horizontal else (-right, up)

    def direction(self, yaw: float) -> int:
        """The nearest of eight screen directions: 0 up, then clockwise."""
        # Clockwise from up. Vertical: +y (yaw 90 degrees) is up and +x (0) is left, so a growing
        # yaw turns right. Horizontal is that picture turned clockwise by 90 degrees.
        clockwise = yaw if self.horizontal else yaw - math.pi / 2
        return round(clockwise / (math.pi / 4)) % 8


def on_grass(x: float, y: float) -> bool:
    """Whether a place lies between the walls, corners cut off, or in a goal."""
    inside = abs(x) < SIDE_WALL and abs(y) < BACK_WALL
    in_goal = abs(x) < GOAL_HALF_WIDTH and abs(y) < BACK_WALL + GOAL_DEPTH
    return in_goal or (inside and abs(x) + abs(y) < SIDE_WALL + BACK_WALL - CORNER_CUT)


def lines(view: View) -> dict[Cell, str]:
    """Walls, centre line and circle, in braille."""
    dots = Dots(view.columns, view.rows)
    for side in (-1.0, 1.0):
        wall, back = side * SIDE_WALL, side * BACK_WALL
        flat = BACK_WALL - CORNER_CUT
        dots.line(view.dot(wall, -flat), view.dot(wall, flat))
        for half in (-1.0, 1.0):
            corner = half * (SIDE_WALL - CORNER_CUT)
            dots.line(view.dot(corner, back), view.dot(half * SIDE_WALL, side * flat))
            dots.line(view.dot(corner, back), view.dot(half * GOAL_HALF_WIDTH, back))
    dots.line(view.dot(-SIDE_WALL, 0.0), view.dot(SIDE_WALL, 0.0))
    dots.circle(*view.dot(0.0, 0.0), CENTRE_CIRCLE / view.uu_per_dot)
    return dots.cells()


def goal(view: View, team: int) -> dict[Cell, str]:
    """The net behind the goal line of a team, in braille."""
    dots = Dots(view.columns, view.rows)
    line = -BACK_WALL if team == 0 else BACK_WALL
    net = math.copysign(BACK_WALL + GOAL_DEPTH, line)
    posts = (-GOAL_HALF_WIDTH, GOAL_HALF_WIDTH)
    for post in posts:
        dots.line(view.dot(post, line), view.dot(post, net))
    dots.line(view.dot(posts[0], net), view.dot(posts[1], net))
    dots.line(view.dot(posts[0], line), view.dot(posts[1], line))
    return dots.cells()

"""Made-up games, short and easy to reckon with."""

from collections.abc import Iterable, Iterator

from trainer.frames import CarFrame, Frame, Mind

CARS = (
    CarFrame(0, -1000.0, -2000.0, 17.0, 0.0, 33.0, True, False, False),
    CarFrame(1, 1000.0, 2000.0, 17.0, 0.0, 66.0, True, False, False),
)


def game(rallies: Iterable[int], fps: int = 10, start_s: float = 100.0) -> Iterator[Frame]:
    """Rallies of so many pictures each; as in real ones a kickoff is as old as the last picture.

    `steps` of a picture is its number, and blue scores in the last picture of each rally.
    """
    number, tick, goals = 0, 0, 0
    for rally, pictures in enumerate(rallies, start=1):
        for picture in range(pictures):
            tick += picture > 0
            scores = picture == pictures - 1
            goals += scores
            mind = Mind(1, 0.5, "jump", (("jump", 0.5),))
            note = "Blue scores" if scores else ""
            ball = (100.0 * picture, 0.0, 93.0)
            yield Frame(
                *(start_s + tick / fps, goals, 0, *ball, CARS, number, True, note),
                names=("newest", "5.0M steps"),
                mind=mind,
                rally=rally,
            )
            number += 1

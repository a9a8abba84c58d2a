"""Where the time of an iteration goes, as bars with a legend, and what to try about it.

`widths`, `legend` and `picture` are pure; the widget gives them size and colours. The numbers come
from `tui/phase_times.py`, the hint from `tui/phase_hints.py`. Tested by
`tests/tui/widgets/test_phase_bar.py`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import RenderResult
from textual.reactive import reactive
from textual.widget import Widget

from tui.formatting import compact, shorten
from tui.known import Known
from tui.phase_hints import Bound, bound
from tui.phase_times import KINDS, Bar, Kind, Part, Times, bars

Styles = Mapping[Kind, tuple[Style, Style]]
"""Two shades a kind, so that neighbours can be told apart."""
_GAP = "  "
_NAMED_FROM = 0.005
"""Share of a bar from which the legend names a phase."""


def widths(seconds: Sequence[float], width: int) -> list[int]:
    """`width` columns shared as `seconds` are; the columns left over go to the largest rests."""
    whole = sum(seconds)
    if not whole:
        return [0] * len(seconds)
    exact = [width * part / whole for part in seconds]
    cells = [int(each) for each in exact]
    by_rest = sorted(range(len(exact)), key=lambda i: cells[i] - exact[i])
    for index in by_rest[: width - sum(cells)]:
        cells[index] += 1
    return cells


def legend(bar: Bar) -> list[tuple[Part, str]]:
    """Each phase worth a word, in the order of the bar, with its share."""
    return [
        (part, f"{part.name} {part.seconds / bar.seconds:.0%}")
        for part in bar.parts
        if part.seconds >= _NAMED_FROM * bar.seconds
    ]


def summary(bar: Bar) -> str:
    """The bar's time and kinds, such as "an iteration: 1.78 s, playing 56%, learning 43%"."""
    shares = [f"{kind} {bar.share(kind):.0%}" for kind in KINDS if bar.share(kind) >= _NAMED_FROM]
    return ", ".join([f"{bar.title}: {compact(bar.seconds)} s", *shares])


def picture(drawn: Sequence[Bar], found: Bound | None, width: int, styles: Styles) -> Text:
    """For each bar its summary, itself and its legend; then what bounds the run."""
    lines: list[Text] = []
    for bar in drawn:
        shades = _shades(bar, styles)
        lines += [Text(summary(bar)), _line(bar, width, shades), *_legend(bar, width, shades)]
    if found:
        lines.append(Text.assemble((f"Bound by {found.kind}. ", "bold"), found.hint))
    return Text("\n").join(lines)


def _shades(bar: Bar, styles: Styles) -> dict[str, Style]:
    """The style of each phase by its name; phases of a kind take its shades by turns."""
    seen = dict.fromkeys(KINDS, 0)
    shades = {}
    for part in bar.parts:
        shades[part.name] = styles[part.kind][seen[part.kind] % 2]
        seen[part.kind] += 1
    return shades


def _line(bar: Bar, width: int, shades: Mapping[str, Style]) -> Text:
    line = Text(no_wrap=True)
    cells = widths([part.seconds for part in bar.parts], width)
    for part, count in zip(bar.parts, cells, strict=True):
        words = part.name if len(part.name) <= count else shorten(part.name, count)
        line.append((words if count > 3 else "").ljust(count), shades[part.name])
    return line


def _legend(bar: Bar, width: int, shades: Mapping[str, Style]) -> list[Text]:
    """A mark and words for each phase worth a word, in lines that part none of them."""
    lines = [Text()]
    for part, words in legend(bar):
        entry = Text.assemble((" ", shades[part.name]), f" {words}")
        if lines[-1] and len(lines[-1]) + len(_GAP) + len(entry) > width:
            lines.append(Text())
        lines[-1].append(_GAP if lines[-1] else "").append_text(entry)
    return lines


class PhaseBar(Widget):
    """Where the time goes."""

    HELP = """\
# Where the time goes

The mean of the last 20 iterations. Phases of the rollout are means over the workers; *waiting for
each other* is when a worker had nothing to do. With `ppo.overlap` the rollout is played beside the
update and has a bar of its own: what the update still waited for it stands in the first bar.

The sentence below says what bounds the run, and one thing to try. `docs/performance.md` has more.
"""
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"phase-bar--{kind}{shade}" for kind in KINDS for shade in ("", "-alt")
    }

    content: reactive[tuple[tuple[Bar, ...], Bound | None] | None] = reactive(None, layout=True)

    def __init__(self, *, id: str | None = None) -> None:
        """Nothing is drawn before the first iteration."""
        super().__init__(id=id)
        self.border_title = "Where the time goes"
        self._judged: tuple[object, ...] = ()

    def show(self, known: Known) -> None:
        """Draw the times that `known` has, where they are others than before."""
        device = known.status.device if known.status else ""
        judged = (known.board, known.config, device)
        if known.board and judged != self._judged:
            times = Times(known.board.window)
            drawn = bars(times, overlap=known.config.ppo.overlap)
            self.content = drawn, bound(times, known.config, device)
        self._judged = judged

    def render(self) -> RenderResult:
        """The bars as wide as the widget, or a quiet word while there are none."""
        if self.content is None:
            return "nothing measured yet"
        shades: Styles = {kind: (self._style(kind), self._style(f"{kind}-alt")) for kind in KINDS}
        return picture(*self.content, self.content_size.width, shades)

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"phase-bar--{part}")

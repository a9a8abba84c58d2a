"""Which keys a person may change, and whether what they ask for can be.

The bindings come as tables, by the place where they work; Textual's own keymap carries the answer
out. Knows no page and no file. Tested by `tests/tui/test_keymap.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from textual.binding import Binding, BindingType
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

from trainer.config_file import ConfigError, nearest

EVERYWHERE = "Everywhere"
"""The place of the keys that work on every page."""

Places = Mapping[str, Iterable[BindingType]]
"""The bindings of the app (`EVERYWHERE`) and of each page, by its name."""

_MODIFIERS = ("ctrl+", "shift+", "alt+", "super+", "meta+", "hyper+")
_NAMED = {key.value for key in Keys} | {*KEY_NAME_REPLACEMENTS.values()}


class Bound(NamedTuple):
    """One thing that keys do somewhere."""

    id: str
    """Its name in the settings; empty when its keys stay what they are."""
    keys: str
    """The keys, between commas."""
    action: str
    """What Textual calls."""
    where: str
    """The page, or `EVERYWHERE`."""
    label: str
    """Word in the footer."""
    help: str
    """What happens, in one sentence."""


def bounds(places: Places) -> tuple[Bound, ...]:
    """Every binding of every place, the keys of one binding together."""
    return tuple(bound for where, table in places.items() for bound in _bounds(where, table))


def remappable(places: Places) -> tuple[Bound, ...]:
    """The bindings with a name, each once, in the order of the tables; a letter stands for both."""
    named = {bound.id: bound for bound in bounds(places) if bound.id}
    return tuple(bound._replace(keys=_one_case(bound.keys)) for bound in named.values())


def keymap(asked: Mapping[str, str], places: Places, source: str) -> dict[str, str]:
    """What Textual's `set_keymap` takes: a letter alone means its capital too.

    Args:
        asked: Keys by the name of the binding, as the settings have them.
        places: All bindings there are.
        source: Where the settings stand, in words, for the refusal.

    Raises:
        ConfigError: One sentence for each name or key that is unknown and each two that collide.
    """
    table = bounds(places)
    names = {bound.id for bound in table if bound.id}
    wrong = [*_unknown(asked, sorted(names), source)]
    mapped = {name: _both_cases(keys) for name, keys in asked.items() if name in names}
    wrong += _collisions(
        [bound._replace(keys=mapped.get(bound.id, bound.keys)) for bound in table],
        set(mapped),
        source,
    )
    if wrong:
        raise ConfigError("\n".join(dict.fromkeys(wrong)))
    return mapped


def _bounds(where: str, table: Iterable[BindingType]) -> Iterator[Bound]:
    one_by_one = Binding.make_bindings(table)
    for _, group in groupby(one_by_one, lambda found: (found.id, found.action, found.description)):
        same = list(group)
        keys = ",".join(_readable(binding.key) for binding in same)
        first = same[0]
        yield Bound(first.id or "", keys, first.action, where, first.description, first.tooltip)


def _readable(key: str) -> str:
    """The character that Textual calls "question_mark", where it is one that can be seen."""
    char = key_to_character(key)
    return char if char and char.isprintable() and char not in " ," else key


def _both_cases(keys: str) -> str:
    words = [word.strip() for word in keys.split(",")]
    return ",".join(
        f"{word},{word.upper()}" if len(word) == 1 and word.islower() else word for word in words
    )


def _one_case(keys: str) -> str:
    words = keys.split(",")
    return ",".join(word for word in words if not (word.isupper() and word.lower() in words))


def _unknown(asked: Mapping[str, str], names: Sequence[str], source: str) -> Iterator[str]:
    for name, keys in asked.items():
        if name not in names:
            yield f"{source}: keys.{name} is no binding{nearest(name, names) or _LIST}"
        for word in keys.split(","):
            if not is_key(key := word.strip()):
                near = nearest(key.lower(), sorted(_NAMED))
                yield f"{source}: keys.{name} = {keys!r}: {key!r} is no key{near}"


_LIST = "; `rlppo-tui settings` lists them"


def is_key(word: str) -> bool:
    """Whether a terminal may send it: a character, f10, escape, ctrl+s, question_mark."""
    for modifier in _MODIFIERS:
        if word.startswith(modifier):
            return is_key(word.removeprefix(modifier))
    if len(word) == 1:
        return word.isprintable()
    named = key_to_character(word) if word else None
    return word in _NAMED or (named is not None and named.isascii())


def _collisions(table: Sequence[Bound], moved: set[str], source: str) -> Iterator[str]:
    """Two different things on one key of one place, one of which the person has put there."""
    for index, one in enumerate(table):
        for other in table[index + 1 :]:
            meets = one.where == other.where or EVERYWHERE in (one.where, other.where)
            differs = one.action != other.action
            shared = _words(one.keys) & _words(other.keys)
            if meets and differs and shared and {one.id, other.id} & moved:
                key = min(shared, key=lambda key: (key.isupper(), key))
                yield f"{source}: {_name(one)} and {_name(other)} are both on {key}"


def _words(keys: str) -> set[str]:
    return set(keys.split(","))


def _name(bound: Bound) -> str:
    return bound.id or bound.label or bound.action

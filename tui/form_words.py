"""What a form says of itself: the differences, or why the settings cannot be.

Pure functions that know no widget. Tested by `tests/tui/test_form_words.py`.
"""

from textual.content import Content

from tui.form_draft import Draft
from tui.form_fields import FormField, text_of


def draft_words(draft: Draft, nothing: str) -> Content:
    """One line a fault, or else a difference; `nothing` where there is neither."""
    if draft.faults:
        lines = [
            Content.from_markup("[$error]$sentence[/]", sentence=fault.sentence)
            for fault in draft.faults
        ]
    elif draft.changes:
        lines = [
            Content.from_markup("[$accent]$change[/]", change=str(change))
            for change in draft.changes
        ]
    else:
        lines = [Content.from_markup("[$foreground 55%]$words[/]", words=nothing)]
    return Content("\n").join(lines)


def field_words(field: FormField, preset: str) -> Content:
    """What a setting does, and what the preset of that name says."""
    default = text_of(field.default) or "empty"
    return Content.from_markup(
        "[b]$name[/]  $help\n[$foreground 55%]preset $preset: $default[/]",
        name=field.name,
        help=field.help,
        preset=preset,
        default=default,
    )

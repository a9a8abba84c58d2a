"""What every group of settings is made of: its base, and the numbers that a field may hold.

Knows no setting. Tested by `tests/trainer/test_config.py`.
"""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

PositiveInt = Annotated[int, Field(gt=0)]
NonNegativeInt = Annotated[int, Field(ge=0)]
PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegativeFloat = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(allow_inf_nan=False)]
Layers = Annotated[tuple[PositiveInt, ...], Field(min_length=1)]

LIVE = "live"
"""What marks a field, or a whole section, that may change while a run trains (`live.py`)."""
_Setting = TypeVar("_Setting")
Live = Annotated[_Setting, LIVE]
"""A field that may change while a run trains: it is read anew in every iteration."""


class Section(BaseModel):
    """A frozen group of settings that refuses names it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

"""What eyes make of colours: contrast by WCAG 2.2, distance in CIE Lab, and colour blindness.

The blind see by the matrices of Machado, Oliveira and Fernandes (2009) for whole dichromacy, on
linear RGB. Hand-checked by `tests/tui/test_theme.py`.
"""

import math

Linear = tuple[float, float, float]

BLIND = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> Linear:
    """Of "#rrggbb", each 0 to 1."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return red, green, blue


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def blend(over: str, under: str, percent: float) -> str:
    """`over`, that much of it, on `under`, as Textual mixes them."""
    pairs = [(int(over[at : at + 2], 16), int(under[at : at + 2], 16)) for at in (1, 3, 5)]
    mixed = [round(high * percent / 100 + low * (1 - percent / 100)) for high, low in pairs]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def seen(colour: str, eyes: str) -> Linear:
    """What `eyes` make of it, of `BLIND`."""
    rgb = linear(colour)
    rows = (sum(a * b for a, b in zip(row, rgb, strict=True)) for row in BLIND[eyes])
    red, green, blue = (min(1.0, max(0.0, value)) for value in rows)
    return red, green, blue


def lab(rgb: Linear) -> Linear:
    """CIE L*a*b* under D65."""
    red, green, blue = rgb
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (_cube_root(value) for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def distance(one: str, other: str, eyes: str) -> float:
    """Delta E of 1976; about 2 can just be told apart side by side."""
    return math.dist(lab(seen(one, eyes)), lab(seen(other, eyes)))

import json
import math

from trainer.evaluation.report import finite


def test_numbers_that_json_has_no_word_for_are_null() -> None:
    record = {"a": [1.5, math.inf, (-math.inf, math.nan)], "b": "inf", "c": {"d": None, "e": 3}}
    assert json.dumps(finite(record), allow_nan=False) == (
        '{"a": [1.5, null, [null, null]], "b": "inf", "c": {"d": null, "e": 3}}'
    )

"""The form of the log."""

import json
import logging

from config.logs import JsonFormatter, WithoutLinks, logging_config


def record(message: str, *args: object, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("refundry.reconcile", logging.INFO, __file__, 1, message, args, None)
    made.__dict__.update(more)
    return made


def test_a_record_is_one_line_of_json() -> None:
    text = JsonFormatter().format(record("退款 %s\nand more", 7))
    assert "\n" not in text
    line = json.loads(text)
    assert (line["message"], line["level"], line["logger"]) == ("退款 7\nand more", "INFO", "refundry.reconcile")
    assert line["time"].endswith("+00:00")


def test_a_record_of_many_lines_is_as_many_objects() -> None:
    text = JsonFormatter().format(record("reconciled", lines=[{"key": "1"}, {"key": "2"}]))
    assert [json.loads(line)["key"] for line in text.split("\n")] == ["1", "2"]


def test_an_exception_is_told_with_its_traceback() -> None:
    try:
        raise ValueError("broken")
    except ValueError as error:
        made = record("failed", exc_info=(ValueError, error, error.__traceback__))
    assert "ValueError: broken" in json.loads(JsonFormatter().format(made))["exception"]


def test_no_log_holds_a_customer_s_link() -> None:
    made = record("%s: %s", "Internal Server Error", "/r/abc:def/refund")
    assert WithoutLinks().filter(made)
    assert made.getMessage() == "Internal Server Error: /r/.../refund"


def test_finished_syncs_are_json_whatever_the_form_of_the_rest() -> None:
    for form in ("text", "json"):
        config = logging_config(form)
        assert config["handlers"]["syncs"]["formatter"] == "json"
        assert config["handlers"]["console"]["formatter"] == form


def test_all_that_is_logged_comes_to_stderr() -> None:
    config = logging_config("text")
    assert all(
        handler["class"] == "logging.StreamHandler" and "stream" not in handler
        for handler in config["handlers"].values()
    )
    silent = [name for name, logger in config["loggers"].items() if not logger.get("propagate", True)]
    assert config["root"]["handlers"] and all(config["loggers"][name]["handlers"] for name in silent)

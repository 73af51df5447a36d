"""Tables of figures."""

from benchmarks.figures import Figures, percentiles_ms


def test_percentiles_are_in_milliseconds():
    assert percentiles_ms([0.001 * n for n in range(101)]) == {
        "p50 ms": 50.0,
        "p95 ms": 95.0,
        "p99 ms": 99.0,
        "max ms": 100.0,
    }


def test_a_table_names_columns_rows_and_goal():
    table = Figures("wake", {"a pump waits": {"requests": 20, "p50 ms": 12.5}}, goal="20 ms")
    title, columns, row, goal = table.text().splitlines()
    assert (title, goal) == ("wake", "goal: 20 ms")
    assert columns.split() == ["requests", "p50", "ms"]
    assert row.split() == ["a", "pump", "waits", "20", "12.5"]
    assert table.values()["rows"] == {"a pump waits": {"requests": 20, "p50 ms": 12.5}}


def test_long_names_do_not_run_together():
    long = {"refunds": 2000, "SQL statements": 3.5, "Valkey round trips": 0.25}
    text = Figures("calls per refund", {"ours": long, "tuned": long, "a contender with a very long name": long}).text()
    _, columns, *rows = text.splitlines()
    assert [part.strip() for part in columns.split("  ") if part.strip()] == list(long)
    assert len({len(line) for line in (columns, *rows)}) == 1

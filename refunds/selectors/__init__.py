"""Reads: rows into the values that rules and pages want. Nothing here writes."""

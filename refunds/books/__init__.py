"""The rules of the books: where a day ends, what adds up to what, how a line is written and sealed. Pure."""

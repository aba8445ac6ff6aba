"""What is said of words that mean nothing in a question which is charged once and answered for ever."""

from __future__ import annotations

from partita.errors.base import QueryRefused
from partita.errors.wording import UNTOUCHED


def question_in_answer() -> QueryRefused:
    """Something shown that asks another question."""
    return QueryRefused(
        "words.question-in-answer",
        f"A question inside another one's answer is not answered. Ask it by itself, and compute with both answers; the "
        f"total of all groups is in the same answer with GROUP BY ROLLUP (...). {UNTOUCHED}",
    )


def by_the_clock(what: str) -> QueryRefused:
    """A question whose meaning changes with the day it is asked."""
    return QueryRefused(
        "words.by-the-clock",
        f"{what} changes with the day, so the same words would be another question tomorrow and cost anew. Write the "
        f"day itself, for example DATE '2025-06-01' - INTERVAL 30 DAY. {UNTOUCHED}",
    )


def by_chance(what: str) -> QueryRefused:
    """A question that would draw rows by lot."""
    return QueryRefused(
        "words.by-chance",
        f"{what} would choose rows by lot. Every question reads all rows, and noise protects them: leave it out. "
        f"{UNTOUCHED}",
    )


def left_open(what: str) -> QueryRefused:
    """A place for a value that nobody filled in."""
    return QueryRefused(
        "words.left-open",
        f"{what} stands for a value that is not here. Write the value itself, text in single quotes. {UNTOUCHED}",
    )


def uneven_list(columns: int) -> QueryRefused:
    """Combinations that do not fit the columns they are compared with."""
    return QueryRefused(
        "words.uneven-list",
        f"{columns} columns in brackets are compared with combinations of {columns} values each, for example "
        f"(age, sex) IN ((30, 'F'), (40, 'M')). {UNTOUCHED}",
    )

"""What is said of statements that compute something from the answers to questions."""

from __future__ import annotations

from partita.errors.base import QueryRefused
from partita.errors.wording import UNTOUCHED


def name_given_twice(name: str) -> QueryRefused:
    """Two questions in WITH that have one name."""
    return QueryRefused(
        "shape.name-given-twice", f"WITH gives the name {name} twice. Choose another for one of them. {UNTOUCHED}"
    )


def release_beside_rows() -> QueryRefused:
    """Protected rows joined with groups that are released."""
    return QueryRefused(
        "shape.release-beside-rows",
        f"Released groups cannot be joined to protected rows: every row would depend on all others. Aggregate the rows "
        f"first, and join what is released: FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS a JOIN (...) AS b "
        f"USING (k). {UNTOUCHED}",
    )


def too_many_releases(most: int) -> QueryRefused:
    """More questions in one statement than are divided a price among."""
    return QueryRefused(
        "shape.too-many-releases",
        f"This statement asks more than {most} questions about protected rows. Ask it in parts. {UNTOUCHED}",
    )


def not_presented(reason: str) -> QueryRefused:
    """What a statement does with released numbers cannot be done, whatever they are."""
    return QueryRefused("shape.not-presented", f"What is made of the released numbers is not SQL: {reason} {UNTOUCHED}")


def function_not_presented(name: str) -> QueryRefused:
    """A function that reads something else than released numbers, or is not the same twice."""
    return QueryRefused(
        "shape.function-not-presented",
        f"{name} is no function of released numbers alone, so it is not used on them. {UNTOUCHED}",
    )


def text_not_presented() -> QueryRefused:
    """Texts or lists put together where they could be put together again, or too many of them."""
    return QueryRefused(
        "shape.text-not-presented",
        f"Texts and lists are put together (||, CONCAT, STRING_AGG, LIST) in the outermost SELECT alone, at most 32 "
        f"times and, from several lines, without joins, so that they stay short. {UNTOUCHED}",
    )


def presentation_failed(reason: str) -> QueryRefused:
    """What a statement does with released numbers failed on those that came."""
    return QueryRefused(
        "shape.presentation-failed",
        f"The groups are released, charged and kept in the ledger; what the statement makes of them failed: {reason} "
        f"That depends on released numbers alone. Ask again in other words: the same groups are free.",
    )


def presented_too_long(most: int) -> QueryRefused:
    """A statement that makes more lines of released numbers than anybody reads."""
    return QueryRefused(
        "shape.presented-too-long",
        f"The groups are released, charged and kept in the ledger; the statement makes more than {most:,} lines of "
        f"them, which are not shown. Ask again with LIMIT or fewer joins: the same groups are free.",
    )


def presented_too_large(most: int) -> QueryRefused:
    """A statement that makes longer texts of released numbers than anybody reads."""
    return QueryRefused(
        "shape.presented-too-large",
        f"The groups are released, charged and kept in the ledger; the statement makes more than {most} MB of them, "
        f"which are not shown. Ask again with LIMIT or shorter texts: the same groups are free.",
    )


def not_one_question(word: str) -> QueryRefused:
    """A statement around releases where one question is needed."""
    return QueryRefused(
        "shape.not-one-question",
        f"{word} takes questions, and this statement computes something from the answers to some. Ask it by itself, "
        f"with a price: curator.ask(statement, rho=1). {UNTOUCHED}",
    )


def accuracy_of_statement() -> QueryRefused:
    """An accuracy, caps or a part of the people, for a statement with several questions."""
    return QueryRefused(
        "shape.accuracy-of-statement",
        f"This statement asks several questions that share one price, so it takes a price, and not within=, key= or "
        f"shrink=: ask(..., rho=1). {UNTOUCHED}",
    )


def too_many_first(most: int) -> QueryRefused:
    """More questions in the conditions of one question than a price is divided among."""
    return QueryRefused(
        "shape.too-many-first",
        f"More than {most} questions stand in the conditions of this one. Ask them first, and write their answers in. "
        f"{UNTOUCHED}",
    )

"""Regular expressions as SQL writes them: ~, REGEXP_MATCHES, REGEXP_FULL_MATCH and SIMILAR TO."""

from __future__ import annotations

from sqlglot import exp

from partita.region.regular import Irregular, Regular, regular

REGULAR = (exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch, exp.SimilarTo)


def regular_of(node: exp.Expr, pattern: object, flag: object = None) -> Regular:
    """The pattern of a node of REGULAR, if it is one that is read in one pass over a text; others are irregular."""
    if flag not in (None, "i", "c") or not isinstance(pattern, str) or not pattern or node.args.get("options"):
        raise Irregular
    whole = isinstance(node, exp.RegexpFullMatch | exp.SimilarTo)
    folded = isinstance(node, exp.RegexpILike) or flag == "i"
    if whole and folded:
        raise Irregular
    return regular(pattern, whole=whole, folded=folded)

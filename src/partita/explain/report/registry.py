"""The fields of a public registry of deployments, as far as the ledger and the custodian's words fill them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partita.explain.facts import Facts
from partita.explain.report.about import About
from partita.granularity import Relation
from partita.ledger.reports.report import Summary
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

_FLAVOURS = {
    Pure: "Pure DP",
    Approximate: "Approximate DP",
    ZCDP: "Zero-concentrated DP",
    GDP: "Gaussian DP",
}


def registry(
    found: Summary,
    facts: Sequence[Facts],
    about: About,
    *,
    noise: Sequence[str],
    unprotected: Sequence[str],
    tables: Sequence[str],
    version: str,
) -> dict[str, Any]:
    """The entry of a deployment, in the order in which registries ask for it; None where nobody has said."""
    budgets = [balance.promise.budget for balance in found.balances]
    units = [balance.promise.granularity for balance in found.balances]
    change = "the value of one unit is changed"
    come = "one unit is added or removed"
    return {
        "product": {
            name: about[name] or None
            for name in (
                "name",
                "data_curators",
                "intended_use",
                "data_product_type",
                "data_product_region",
                "description",
                "publication_date",
                "data_product_sector",
            )
        },
        "dp_flavor": {
            "name": "; ".join(dict.fromkeys(_FLAVOURS.get(type(budget), "Rényi DP") for budget in budgets)),
            "data_domain": "; ".join(tables),
            "unprotected_quantities": [*unprotected],
        },
        "privacy_loss": [
            {
                "privacy_unit": str(unit),
                "adjacency": change if unit.relation is Relation.CHANGE_ONE else come,
                "privacy_parameters": _parameters(budget),
                "read_as": {"epsilon": fact.epsilon, "delta": fact.delta},
            }
            for unit, budget, fact in zip(units, budgets, facts, strict=True)
        ],
        "model": {
            "model_name": "Central",
            "actors": about["actors"] or None,
            "release_type": "Many releases under one budget that is never refreshed",
            "data_source_type": "Static; rows may be added under promises on rows",
            "access_type": "Interactive",
            "budget_among_analysts": {
                analyst: [None if limit is None else str(limit) for limit, _ in limits]
                for analyst, limits in found.accounts.items()
            },
            "non_collusion_assumed": False,
        },
        "accounting": {
            "post_processing": "Means, shares, order and consistency are computed from noisy numbers alone",
            "composition": "General composition over record values, as fully adaptive filters (theory E10 to E16)",
        },
        "implementation": {
            "pre_processing_eda_hyperparameter_tuning": about["preprocessing_and_tuning"] or None,
            "mechanisms": [*noise],
            "software": f"Partita {version}",
            "floating_point": "No float reaches a released value; noise is exact on a public lattice",
            "side_channels": "Errors, prices, order, caching, rollback covered; response time documented",
            "security": about["security"] or None,
            "justification": about["justification"] or None,
        },
        "resources": {"sources": about["sources"] or None},
    }


def _parameters(budget: Measure) -> dict[str, str]:
    match budget:
        case Pure(epsilon=epsilon):
            return {"epsilon": _decimal(epsilon)}
        case Approximate(epsilon=epsilon, delta=delta):
            return {"epsilon": _decimal(epsilon), "delta": _decimal(delta)}
        case ZCDP(rho=rho, delta=delta):
            return {"rho": _decimal(rho), "delta": _decimal(delta)}
        case GDP():
            return {"mu": str(budget).removeprefix("μ = ")}
        case _:
            return {"loss": str(budget)}


def _decimal(number: object) -> str:
    return f"{float(number):.12g}"  # type: ignore[arg-type]

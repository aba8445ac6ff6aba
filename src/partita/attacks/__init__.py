"""The laboratory: attacks that show why composition is needed, and audits that test what is claimed.

The names are loaded when they are first used.
"""

from __future__ import annotations

from partita.front import front

# Where each public name lives.
_HOMES: dict[str, str] = {
    "ATTACKS": "partita.attacks.catalogue",
    "Attack": "partita.attacks.attack",
    "CanaryAudit": "partita.attacks.laboratory.canaries",
    "Cohort": "partita.attacks.cohort",
    "FIRST_HOSPITAL": "partita.attacks.laboratory.intersection",
    "SECOND_HOSPITAL": "partita.attacks.laboratory.intersection",
    "anonymity": "partita.attacks.laboratory.intersection",
    "audit_training": "partita.attacks.laboratory.canaries",
    "average": "partita.attacks.laboratory.averaging",
    "collude": "partita.attacks.laboratory.collusion",
    "difference": "partita.attacks.laboratory.differencing",
    "infer_from_model": "partita.attacks.laboratory.models",
    "infer_membership": "partita.attacks.laboratory.membership",
    "intersect": "partita.attacks.laboratory.intersection",
    "link": "partita.attacks.laboratory.linkage",
    "meet_in_two_hospitals": "partita.attacks.laboratory.hospitals",
    "name_and_shame": "partita.attacks.laboratory.shame",
    "one_run_epsilon": "partita.attacks.audits.one_run",
    "one_run_p_value": "partita.attacks.audits.one_run",
    "plant_canaries": "partita.attacks.laboratory.canaries",
    "possible_conditions": "partita.attacks.laboratory.intersection",
    "provoke_errors": "partita.attacks.laboratory.oracles",
    "read_low_bits": "partita.attacks.laboratory.floating",
    "reconstruct": "partita.attacks.laboratory.reconstruction",
    "watch_the_clock": "partita.attacks.laboratory.oracles",
}

__all__ = [
    "ATTACKS",
    "Attack",
    "CanaryAudit",
    "Cohort",
    "FIRST_HOSPITAL",
    "SECOND_HOSPITAL",
    "anonymity",
    "audit_training",
    "average",
    "collude",
    "difference",
    "infer_from_model",
    "infer_membership",
    "intersect",
    "link",
    "meet_in_two_hospitals",
    "name_and_shame",
    "one_run_epsilon",
    "one_run_p_value",
    "plant_canaries",
    "possible_conditions",
    "provoke_errors",
    "read_low_bits",
    "reconstruct",
    "watch_the_clock",
]


__getattr__, __dir__ = front(__name__, _HOMES)

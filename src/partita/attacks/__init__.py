"""The laboratory: attacks that show why composition is needed, and audits that test what is claimed.

The names are loaded when they are first used.
"""

from __future__ import annotations

from partita.front import front

# Where each public name lives.
_HOMES: dict[str, str] = {
    "ATTACKS": "partita.attacks.catalogue",
    "Attack": "partita.attacks.attack",
    "CanaryAudit": "partita.attacks.canaries",
    "Cohort": "partita.attacks.cohort",
    "audit_training": "partita.attacks.canaries",
    "average": "partita.attacks.averaging",
    "collude": "partita.attacks.collusion",
    "difference": "partita.attacks.differencing",
    "infer_from_model": "partita.attacks.models",
    "infer_membership": "partita.attacks.membership",
    "link": "partita.attacks.linkage",
    "meet_in_two_hospitals": "partita.attacks.hospitals",
    "name_and_shame": "partita.attacks.shame",
    "plant_canaries": "partita.attacks.canaries",
    "provoke_errors": "partita.attacks.oracles",
    "read_low_bits": "partita.attacks.floating",
    "reconstruct": "partita.attacks.reconstruction",
    "watch_the_clock": "partita.attacks.oracles",
}

__all__ = [
    "ATTACKS",
    "Attack",
    "CanaryAudit",
    "Cohort",
    "audit_training",
    "average",
    "collude",
    "difference",
    "infer_from_model",
    "infer_membership",
    "link",
    "meet_in_two_hospitals",
    "name_and_shame",
    "plant_canaries",
    "provoke_errors",
    "read_low_bits",
    "reconstruct",
    "watch_the_clock",
]


__getattr__, __dir__ = front(__name__, _HOMES)

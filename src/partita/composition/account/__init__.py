"""The region account: a filter for every record value, so that a release is paid only by those it touches."""

from partita.composition.account.account import RegionAccount
from partita.composition.account.accounts import Accounts
from partita.composition.account.slots import SlotAccount
from partita.limits import Limits

__all__ = ["Accounts", "Limits", "RegionAccount", "SlotAccount"]

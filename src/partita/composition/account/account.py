"""The region account: the running loss of every record value, and a filter on all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack, final

from partita.composition.account.booking import Booking, Release, Shape, Stated, Vector, booked, charged, reached, shape
from partita.composition.account.claim import Claim
from partita.composition.account.engine import Answer, Engine, Extent, Point, engine_of
from partita.composition.account.load import Amounts, Load
from partita.composition.account.loads.allowance import in_force, sharing
from partita.composition.account.loads.units import Units
from partita.composition.plans.promise import Promise
from partita.errors import region as refuse
from partita.exact import whole
from partita.granularity import Users
from partita.limits import Limits, current
from partita.live import Live, alone
from partita.region.box import Box
from partita.region.domain import Domain
from partita.region.region import Region
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from partita.composition.account.certificate import Certificate, Check
    from partita.composition.account.maps import LoadMap

Charge = tuple[Region, Measure, Measure | None]
Repeated = tuple[Region, Measure, Measure | None, int]
Record = dict[str, object]
_CACHED = 1 << 15
MOST_CODES = 2_000_000
"""Sets of codes, one for each box and column, of a region that is charged; conditions come to far fewer."""

_Highest = Callable[[Sequence[Box], int], Extent]


@final
class RegionAccount(Live):
    """Who has been exposed by how much, and a refusal before anybody exceeds the promise (theory E16).

    A release on a region is charged to the record values in it; a promise holds if no value (pair of values,
    window) carries more than the budget. Regions, costs and their order may be chosen from all earlier answers.

    >>> from partita.granularity import rows
    >>> from partita.region import categories, integers
    >>> from partita.theory.measures.zcdp import ZCDP
    >>> domain = Domain({"day": integers(0, 364), "region": categories("north", "south")})
    >>> account = RegionAccount(domain, Promise(rows(), ZCDP(rho="1")))
    >>> for part in ("north", "south"):
    ...     account.charge(Region.where(f"region = '{part}'", domain), ZCDP(rho="0.6"))
    >>> str(account.worst()[0]), str(account.remaining(Region.where("day < 31", domain)))
    ('ρ = 0.6', 'ρ = 0.4')
    """

    def __init__(
        self,
        domain: Domain,
        promise: Promise,
        *,
        updates: bool = False,
        record: bool = False,
        limits: Limits | None = None,
    ) -> None:
        super().__init__()
        domain = Domain.of(domain)
        self.domain = domain
        self.promise = promise
        self.updates = updates
        self._units = Units.of(promise.budget.vector())
        self._shape = shape(promise.granularity)
        self._engine = engine_of(domain, promise.granularity, self._units.budget, limits or current())
        self._priced: dict[Cost, tuple[Amounts, Amounts, Amounts]] = {}
        self._stateful = Region.nothing(domain)
        self._filtered = True
        self._record: list[Booking] | None = [] if record else None

    def __repr__(self) -> str:
        return f"<RegionAccount over {', '.join(self.domain.axes)}: {self.promise}>"

    # --- admitting and charging ------------------------------------------------------------------------------

    @alone
    def admits(
        self,
        region: Region,
        cost: Cost | Measure,
        substitution: Measure | None = None,
        *,
        stateful: bool = False,
        patience: int = 1,
        **stated: Unpack[Stated],
    ) -> bool:
        """Whether a release still fits; nothing changes.

        ``cost`` is a whole `Cost`, or the loss when one record enters or leaves the region, with what else is known:
        ``substitution`` for a record altered inside it (a removal and an addition if not given), ``unit`` for all
        records of one owner at once, ``altered`` for an owner whose records are altered, ``declared`` if nothing but
        declared values is read; ``stability``, ``stated_for`` and ``own_domain`` say what the losses were proven for
        (`Release`). For ``stateful`` see `charge`. ``patience`` is how many times the usual work may be taken to show
        that it fits; it is counted, never clocked.
        """
        release = Release.of(region, cost, substitution, **stated)
        return all(answer.fits for answer in self._decided(self._bookings(release, stateful=stateful), patience))

    @alone
    def admit(
        self, region: Region, cost: Cost | Measure, substitution: Measure | None = None, *, patience: int = 1
    ) -> bool:
        """Book a release if it fits, and say whether it did; one decision where `admits` and `charge` take two.

        >>> from partita.granularity import rows
        >>> from partita.region import integers
        >>> from partita.theory.measures.pure import Pure
        >>> domain = Domain({"age": integers(0, 120)})
        >>> account = RegionAccount(domain, Promise(rows(), Pure(epsilon=1)))
        >>> [account.admit(Region.everything(domain), Pure(epsilon="0.4")) for _ in range(3)]
        [True, True, False]
        """
        bookings = self._bookings(Release.of(region, cost, substitution), stateful=False)
        answers = self._decided(bookings, patience)
        if not all(answer.fits for answer in answers):
            return False
        self._book(bookings, answers)
        return True

    @alone
    def charge(
        self,
        region: Region,
        cost: Cost | Measure,
        substitution: Measure | None = None,
        *,
        stateful: bool = False,
        patience: int = 1,
        **stated: Unpack[Stated],
    ) -> None:
        """Book a release, or refuse what does not fit and leave everything as it was.

        ``stateful``, in an account made with ``updates=True``: the mechanism keeps private state while rows arrive.
        For ``patience`` see `admits`.
        """
        release = Release.of(region, cost, substitution, **stated)
        bookings = self._bookings(release, stateful=stateful)
        answers = self._decided(bookings, patience)
        for answer in answers:
            if not answer.fits:
                raise self._refusal(release, answer)
        self._book(bookings, answers)
        if stateful and self.updates:
            self._stateful = self._stateful | region

    @alone
    def decide(self, load: Load) -> Answer:
        """Whether a load that was priced already still fits, with the patience in force; nothing is booked."""
        return self._decided([load], 1)[0]

    @alone
    def book(self, load: Load, answer: Answer) -> None:
        """Book a load with the answer that it fits, whatever was asked in between."""
        self._book([load], [answer])

    @alone
    def load(self, charges: Iterable[Charge | Repeated]) -> None:
        """Book many charges that were admitted before, such as those of a ledger that is opened again.

        A fourth part counts how often a charge was made. It is not the same as one charge of so many times the cost:
        the δ of a group grows faster than its ε.
        """
        self._filtered = False
        repeated: dict[tuple[int, int, int], list[Any]] = {}
        for charge in charges:
            region, cost, substitution = charge[:3]
            times = charge[3] if len(charge) == 4 else 1
            # The same objects come again and again; holding on to them keeps their identities apart.
            found = repeated.get((id(region), id(cost), id(substitution)))
            if found is not None:
                found[1] += times
                continue
            if len(repeated) >= _CACHED:
                self._put(repeated.values())
                repeated.clear()
            repeated[(id(region), id(cost), id(substitution))] = [charge[:3], times]
        self._put(repeated.values())

    def _put(self, repeated: Iterable[list[Any]]) -> None:
        found = [
            (load, times)
            for (region, cost, substitution), times in repeated
            for load in self._bookings(Release.of(region, cost, substitution), stateful=False)
        ]
        self.put(found)

    @alone
    def put(self, loads: Iterable[tuple[Load, int]]) -> None:
        """Book loads that were admitted before, each so many times, whatever they come to."""
        found = list(loads)
        for load, _ in found:
            if self._shape is Shape.PAIRS and (any(load.same) or self._engine.widened(load) is not load):
                # Earlier versions admitted such charges for less.
                self._filtered = False
        self._engine.load(found)
        for load, times in found:
            self._write(load, times)

    # --- readings --------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether every load is known exactly; if not, losses are upper bounds and refusals may be unproven."""
        return self._engine.exact

    @property
    def engine(self) -> Engine:
        """The loads behind the account."""
        return self._engine

    @property
    def units(self) -> Units:
        """The unit that loads are counted in."""
        return self._units

    @alone
    def peak(self) -> tuple[Measure, Measure, tuple[Point, ...]]:
        """Two losses between which the largest of anybody lies, and the codes of the value, pair or window closest.

        Coordinates are maximised one by one, so that the upper loss holds for everybody.
        """
        extents = self._extents(Region.everything(self.domain))
        shares = [Fraction(e.lower, limit or 1) for e, limit in zip(extents, self._units.budget, strict=True)]
        witness = extents[max(range(len(shares)), key=shares.__getitem__)].witness
        return self._loss([e.lower for e in extents]), self._loss([e.upper for e in extents]), witness

    @alone
    def worst(self) -> tuple[Measure, Record | tuple[Record, ...]]:
        """The largest loss of anybody, and the record value (pair of values, values of a window) that bears it."""
        _, upper, witness = self.peak()
        records = tuple(self.domain.record(codes) for codes in witness)
        return upper, records[0] if len(records) == 1 else records

    @alone
    def bracket(self) -> tuple[Measure, Measure]:
        """The largest loss of anybody lies between these two; they are equal while the account is exact."""
        lower, upper, _ = self.peak()
        return lower, upper

    @alone
    def improve(self, region: Region | None = None, *, patience: int = 10) -> tuple[Measure, Measure]:
        """Look longer for better bounds on the losses in a region (everywhere, if none is named), and keep them.

        For idle moments: what was found lets later charges in at once, and every booking it meets raises it. The work
        is ``patience`` times the usual, counted and not clocked. Gives back two losses between which the largest lies.
        """
        where = Region.everything(self.domain) if region is None else self._checked(region)
        with sharing(self._engine.limits, whole(patience, "patience", least=1)):
            self._engine.improve(where.boxes, len(self._units.budget))
        extents = self._extents(where)
        return self._loss([extent.lower for extent in extents]), self._loss([extent.upper for extent in extents])

    @alone
    def spent(self, region: Region) -> Measure:
        """The largest loss of anybody in a region (of any pair or window that meets it)."""
        return self._loss([extent.upper for extent in self._extents(self._checked(region))])

    @alone
    def least(self, region: Region) -> Measure:
        """A loss that somebody in a region certainly has: no more than is `spent` there."""
        return self._loss([extent.lower for extent in self._extents(self._checked(region))])

    @alone
    def headroom(self, region: Region) -> Measure:
        """What anybody in a region can still lose, in the promise's own terms: that much for one protected unit fits.

        Whatever the granularity, a release fits if its `charged` loss is nowhere above this (remaining.proof.md).
        """
        where = reached(self.promise.granularity, self._checked(region))
        spent = [extent.upper for extent in self._extents(where, self._engine.headroom)]
        return self._loss([max(0, most - load) for most, load in zip(self._units.budget, spent, strict=True)])

    @alone
    def charged(
        self, region: Region, cost: Cost | Measure, substitution: Measure | None = None, **stated: Unpack[Stated]
    ) -> Measure:
        """What one protected unit (a row, an owner with all rows, a window) is booked for a release."""
        release = Release.of(region, cost, substitution, **stated)
        return charged(self.promise.granularity, self.promise.budget, release)

    @alone
    def remaining(self, region: Region) -> Measure:
        """The largest cost of a release that still fits there, one record in or out, nothing more being known of it."""
        from partita.composition.account.remaining import remaining

        with sharing(self._engine.limits):
            return remaining(self, region)

    @alone
    def claims(
        self, region: Region, cost: Cost | Measure, substitution: Measure | None = None, **stated: Unpack[Stated]
    ) -> tuple[Claim, ...]:
        """What would be decided and booked for a release, as plain data; none for an empty region. Nothing changes.

        >>> from partita.granularity import replace
        >>> from partita.region import integers
        >>> from partita.theory.measures.pure import Pure
        >>> domain = Domain({"age": integers(0, 120)})
        >>> account = RegionAccount(domain, Promise(replace(), Pure(epsilon=1)))
        >>> (claim,) = account.claims(Region.where("age < 18", domain), Pure(epsilon="0.5"), Pure(epsilon=0))
        >>> claim.boxes, claim.one, claim.substitution
        (((((0, 18),),),), (Fraction(1, 2),), (Fraction(0, 1),))
        """
        release = Release.of(region, cost, substitution, **stated)
        return tuple(self.claim(load) for load in self._bookings(release, stateful=False))

    @alone
    def claim(self, load: Load) -> Claim:
        """What is decided and booked for a load that was priced already."""
        wide = self._engine.widened(load)
        same = wide.same if any(wide.same) else (0,) * len(wide.one)
        one, other, alike = (self._units.exact(part) for part in (wide.one, wide.substitution, same))
        return Claim(self._shape, tuple(wide.boxes), one, other, alike, widened=wide is not load)

    @alone
    def payable(
        self, region: Region, cost: Cost | Measure, substitution: Measure | None = None, **stated: Unpack[Stated]
    ) -> Region:
        """The part of a region that can still pay: public, and to be named in the answer (theory E20)."""
        from partita.composition.account.shrink import payable

        release = Release.of(region, cost, substitution, **stated)
        bookings = self._bookings(release, stateful=False)
        if not bookings:
            return region
        asked = Region(self.domain, tuple(bookings[0].boxes))
        with sharing(self._engine.limits):
            kept = payable(self._engine, asked, bookings[0])
        if asked != region:
            # Owners are charged by what is constant about them, so whoever cannot pay takes all their rows along.
            kept = region - (asked - kept).freed(self._constant())
        return kept if self._fits(replace(release, region=kept), stateful=False) else Region.nothing(self.domain)

    @alone
    def load_map(self, column_x: str, column_y: str) -> LoadMap:
        """The share of the budget spent on each combination of two columns, for pictures."""
        from partita.composition.account.maps import load_map

        return load_map(self, column_x, column_y)

    @alone
    def certificate(self) -> Certificate:
        """Everything another organisation needs to recompute the loss of everybody (theory E25)."""
        from partita.composition.account.certificate import certified

        if self._record is None:
            raise refuse.not_recorded()
        return certified(self, self._record, self._extents(Region.everything(self.domain)))

    @staticmethod
    def check_certificate(text: str) -> Check:
        """Recompute a certificate given as JSON from its list of charges alone; no account is needed."""
        from partita.composition.account.certificate import check

        return check(text)

    @alone
    def nbytes(self) -> int:
        """The memory that the loads take."""
        return self._engine.nbytes()

    # --- inner parts -----------------------------------------------------------------------------------------

    def _decided(self, bookings: list[Load], patience: int) -> list[Answer]:
        """What is decided with the usual work; more is taken only for what would be refused without proof."""
        longer = max(whole(patience, "patience", least=1), in_force())
        for load in bookings:
            if len(load.boxes) * len(self.domain.shape) > MOST_CODES:
                raise refuse.too_many_boxes(len(load.boxes), MOST_CODES // len(self.domain.shape))
        answers = [self._engine.decide(load) for load in bookings]
        if longer == 1 or all(answer.fits or answer.proven for answer in answers):
            return answers
        with sharing(self._engine.limits, longer):
            return [self._engine.decide(load) for load in bookings]

    def _fits(self, release: Release, *, stateful: bool) -> bool:
        return all(self._engine.decide(load).fits for load in self._bookings(release, stateful=stateful))

    def _bookings(self, release: Release, *, stateful: bool) -> list[Load]:
        """The boxes and whole amounts of a release; none for an empty region."""
        region = self._checked(release.region)
        for loss in release.cost.losses:
            self._same_measure(loss)
        if region.empty:
            return []
        plain = release.plain and not stateful
        if plain and self._shape is not Shape.WINDOWS:
            cached = self._priced.get(release.cost)
            if cached is not None:
                return [Load(region.boxes, *cached)]
        found = [self._amounts(booking) for booking in self._booked(release, stateful=stateful)]
        if plain and len(found) == 1 and self._regional():
            if len(self._priced) >= _CACHED:
                self._priced.clear()
            self._priced[release.cost] = found[0][1:]
        return found

    def _book(self, bookings: list[Load], answers: list[Answer]) -> None:
        for load, answer in zip(bookings, answers, strict=True):
            self._engine.book(load, answer)
            self._write(load)

    def _write(self, load: Load, times: int = 1) -> None:
        """Keep what was booked, on the boxes that it was booked on."""
        if self._record is not None:
            wide = self._engine.widened(load)
            one = self._units.exact(wide.one)
            pairs = self._shape is Shape.PAIRS
            substitution = self._units.exact(wide.substitution) if pairs else None
            same = self._units.exact(wide.same) if pairs and any(wide.same) else None
            self._record += times * [Booking(Region(self.domain, tuple(wide.boxes)), one, substitution, same)]

    def _constant(self) -> set[int]:
        """The axes on which all rows of one protected owner agree."""
        inner = self.promise.granularity.single
        axes = set(self.domain.constant)
        if isinstance(inner, Users) and inner.per is not None:
            axes.add(self.domain.axis(inner.per))
        return axes

    def _regional(self) -> bool:
        """Whether the amounts of a plain release do not depend on its region."""
        return self.promise.granularity.single.kind in {"rows", "replace", "metric", "edges", "nodes"}

    def _amounts(self, booking: Booking) -> Load:
        one = self._units.up(booking.one)
        substitution = one if booking.substitution is None else self._units.up(booking.substitution)
        return Load(
            booking.region.boxes, one, substitution, () if booking.same is None else self._units.up(booking.same)
        )

    def _booked(self, release: Release, *, stateful: bool) -> list[Booking]:
        if not (stateful and self.updates) or self.promise.budget.kind == "pure":
            return [booked(self.promise.granularity, release)]
        return self._routed(release)

    def _routed(self, release: Release) -> list[Booking]:
        """A mechanism with private state while rows arrive: an adversary may route a row to it (theory E19)."""
        everything = Region.everything(self.domain)
        vector = release.cost.row.vector()
        if self.promise.budget.kind == "zcdp" and any(vector[1:]):
            raise refuse.stateful_update(self.promise.budget.symbol)
        anywhere = replace(release, region=everything, cost=replace(release.cost, substitution=None))
        wide = booked(self.promise.granularity, anywhere)
        apart = self.promise.budget.kind == "approximate" and not self._stateful.meets(release.region)
        if not apart or self._shape is not Shape.VALUES:
            return [wide]
        narrow = booked(self.promise.granularity, release)
        epsilon: Vector = (narrow.one[0], Fraction(0))
        return [Booking(narrow.region, epsilon), Booking(everything, (Fraction(0), wide.one[1]))]

    def _extents(self, region: Region, highest: _Highest | None = None) -> list[Extent]:
        look = highest or self._engine.highest
        with sharing(self._engine.limits):
            found = [look(region.boxes, component) for component in range(len(self._units.budget))]
        if not self._filtered:
            return found
        # Every charge was shown to fit when it came, so no load is above the budget, whatever the bound says.
        return [
            Extent(extent.lower, max(extent.lower, min(extent.upper, limit)), extent.witness)
            for extent, limit in zip(found, self._units.budget, strict=True)
        ]

    def _loss(self, amounts: list[int]) -> Measure:
        return self.promise.budget.like(self._units.exact(amounts))

    def _checked(self, region: Region) -> Region:
        if not isinstance(region, Region):
            raise refuse.not_a_region(region)
        if region.domain is not self.domain and region.domain != self.domain:
            raise refuse.other_domain()
        return region

    def _same_measure(self, loss: Measure) -> None:
        if type(loss) is not type(self.promise.budget) or loss.kind == "renyi":
            self.promise.budget.left_after(loss)

    def _refusal(self, release: Release, answer: Answer) -> Exception:
        who, budget = str(self.promise.granularity), str(self.promise.budget)
        region, asked = release.region.named, str(release.cost.row)
        if not answer.proven:
            return refuse.not_shown_to_fit(who, region, asked, budget, str(self.spent(release.region)))
        with sharing(self._engine.limits):
            spent, fits = str(self.spent(release.region)), str(self.remaining(release.region))
        return refuse.over_budget(who, region, asked, spent, budget, fits)

"""What is counted while a server runs, in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from typing import Final, final

from partita.live import Live, alone

STEPS: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0)


@final
class Counts(Live):
    """Requests by route and status, refusals by code, seconds by route; no names, texts or values.

    >>> counts = Counts()
    >>> counts.request("/v1/ask", 200, 0.02)
    >>> print(counts.text().splitlines()[2])
    partita_requests_total{route="/v1/ask",status="200"} 1
    """

    def __init__(self) -> None:
        super().__init__()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._refusals: Counter[str] = Counter()
        self._open = 0

    @alone
    def begin(self) -> None:
        """A request is under way."""
        self._open += 1

    @alone
    def end(self) -> None:
        """A request is over."""
        self._open -= 1

    @alone
    def request(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests[route, status] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]
        for step in STEPS:
            self._within[route, step] += seconds <= step

    @alone
    def refusal(self, code: str) -> None:
        """Count a refusal."""
        self._refusals[code] += 1

    @alone
    def text(self) -> str:
        """All counts, one a line."""
        lines = ["# HELP partita_requests_total Requests by route and status.", "# TYPE partita_requests_total counter"]
        for (route, status), count in sorted(self._requests.items()):
            lines.append(f'partita_requests_total{{route="{route}",status="{status}"}} {count}')
        lines += ["# HELP partita_seconds Time of requests by route.", "# TYPE partita_seconds histogram"]
        for route, seconds in sorted(self._seconds.items()):
            whole = sum(count for (named, _), count in self._requests.items() if named == route)
            for step in STEPS:
                lines.append(f'partita_seconds_bucket{{route="{route}",le="{step:g}"}} {self._within[route, step]}')
            lines.append(f'partita_seconds_bucket{{route="{route}",le="+Inf"}} {whole}')
            lines.append(f'partita_seconds_sum{{route="{route}"}} {seconds:.6f}')
            lines.append(f'partita_seconds_count{{route="{route}"}} {whole}')
        lines += ["# HELP partita_refusals_total Refusals by code.", "# TYPE partita_refusals_total counter"]
        lines += [f'partita_refusals_total{{code="{code}"}} {count}' for code, count in sorted(self._refusals.items())]
        lines += ["# HELP partita_open Requests under way.", "# TYPE partita_open gauge", f"partita_open {self._open}"]
        return "\n".join(lines) + "\n"

"""Where Spark runs, and with which settings its statements mean the same everywhere."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from partita.engine.log import log
from partita.errors import engine as refuse

_OPTIONS = ("master", "folder")
# Everything of a session that a statement's meaning could depend on, and what its plans may show.
SETTINGS: Final = {
    # A value that has no other value is NULL: nothing that is stored fails a statement.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.mergeSchema": "false",
    # What folders are named after is text: a type that all names decide together would change with one of them.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # A file that cannot be read is an error when it is opened, and never some rows less.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # The keys of ledgers are hexadecimal digits; plans are shown without them.
    "spark.sql.redaction.string.regex": "[0-9a-f]{24,}",
}
# Settings of a context under which statements mean something else: ours are as Spark has them.
_MEANT: Final = ("spark.sql.ansi.", "spark.sql.decimalOperations.", "spark.sql.legacy.", "spark.sql.parser.")
# What a context of our own is made with: no page, no bar of progress, no limit that depends on rows, no other machine.
_CONTEXT: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.maxResultSize": "0",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


@final
@dataclass(frozen=True, slots=True)
class Cluster:
    """Where statements run: a session that is open, or a master such as ``local[4]`` or ``spark://host:7077``.

    ``folder`` is where rows are kept while a curator is open; every machine of a cluster must be able to write there.

    >>> Cluster.of({"master": "local[2]"}).master
    'local[2]'
    """

    master: str = "local[*]"
    folder: str | None = None
    session: Any = None

    @classmethod
    def of(cls, given: object) -> Cluster:
        """The cluster that a setting names."""
        if given is None:
            return cls()
        if isinstance(given, str) and given:
            return cls(given)
        if type(given).__module__.startswith("pyspark."):
            return cls(session=given)
        if not isinstance(given, Mapping):
            raise refuse.no_cluster(given)
        unknown = sorted(set(map(str, given)) - {*_OPTIONS, "session"})
        if unknown:
            raise refuse.bad_cluster(unknown[0], f"There are: {', '.join((*_OPTIONS, 'session'))}.")
        for option in _OPTIONS:
            if not isinstance(given.get(option, "given"), str) or given.get(option) == "":
                raise refuse.bad_cluster(option, "Give it as text.")
        return cls(given.get("master", "local[*]"), given.get("folder"), given.get("session"))

    def opened(self) -> Any:
        """A session with settings of its own, on the context that is there or a new one."""
        spark = _driver()
        if self.session is not None and not isinstance(self.session, spark.SparkSession):
            raise refuse.not_classic()
        try:
            return self._opened(spark)
        except Exception:
            log.exception("Spark cannot be used.")
        raise refuse.no_spark()

    def _opened(self, spark: Any) -> Any:
        running = self.session or spark.SparkSession.getActiveSession()
        if running is None:
            # Workers run the same Python, whatever else is found on the path.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = spark.SparkSession.builder.master(self.master).appName("partita")
            local = self.master.startswith("local")
            for name, value in _CONTEXT.items():
                if local or "127.0.0.1" not in value:
                    builder = builder.config(name, value)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                running = builder.getOrCreate()
            # What fails there may show values of rows, on the screen of whoever runs the curator.
            running.sparkContext.setLogLevel("OFF")
        made = running.newSession()
        for name in made.conf.getAll:
            if name.startswith(_MEANT) and made.conf.isModifiable(name):
                made.conf.unset(name)
        for name, value in SETTINGS.items():
            made.conf.set(name, value)
        if self.alone(made):
            made.conf.set("spark.sql.shuffle.partitions", str(made.sparkContext.defaultParallelism))
        return made

    def alone(self, session: Any) -> bool:
        """Whether all of it runs on this machine, so that a folder of this machine will do."""
        return str(session.sparkContext.master).startswith("local")


def _driver() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pyspark import sql
    except ImportError:
        raise refuse.no_driver("spark", "pyspark") from None
    return sql

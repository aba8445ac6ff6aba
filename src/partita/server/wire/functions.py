"""Functions of PostgreSQL that clients call about the catalogue, as far as they have a meaning here."""

from __future__ import annotations

from typing import Final

from partita.server.wire.relations import CATALOG

_NOTHING: Final = (
    ("pg_get_constraintdef", 2), ("pg_get_indexdef", 3), ("pg_get_viewdef", 2), ("pg_get_ruledef", 2),
    ("pg_get_triggerdef", 2), ("pg_get_partkeydef", 1), ("pg_get_partition_constraintdef", 1),
    ("pg_get_statisticsobjdef_columns", 1), ("pg_get_functiondef", 1), ("pg_get_function_result", 1),
    ("pg_get_function_arguments", 1), ("pg_get_function_identity_arguments", 1), ("pg_get_serial_sequence", 2),
    ("pg_tablespace_location", 1), ("shobj_description", 2), ("inet_server_addr", 0), ("inet_client_addr", 0),
    ("inet_server_port", 0), ("pg_get_statisticsobjdef", 1), ("pg_last_wal_replay_lsn", 0), ("txid_current", 0),
)  # fmt: skip
_YES: Final = (
    ("pg_type_is_visible", 1), ("pg_function_is_visible", 1), ("pg_operator_is_visible", 1),
    ("pg_collation_is_visible", 1), ("pg_opclass_is_visible", 1), ("pg_opfamily_is_visible", 1),
    ("pg_conversion_is_visible", 1), ("pg_ts_config_is_visible", 1), ("pg_ts_dict_is_visible", 1),
    ("pg_ts_parser_is_visible", 1), ("pg_ts_template_is_visible", 1), ("pg_statistics_obj_is_visible", 1),
)  # fmt: skip
_NO: Final = (
    ("pg_is_in_recovery", 0), ("pg_relation_is_publishable", 1), ("pg_is_other_temp_schema", 1),
    ("pg_has_role", 2), ("pg_has_role", 3), ("row_security_active", 1), ("pg_is_wal_replay_paused", 0),
)  # fmt: skip
_ZERO: Final = (
    ("pg_relation_size", 2), ("pg_total_relation_size", 1), ("pg_table_size", 1), ("pg_indexes_size", 1),
    ("pg_database_size", 1), ("pg_my_temp_schema", 0), ("pg_stat_get_numscans", 1), ("pg_relation_filenode", 1),
)  # fmt: skip


def _constant(name: str, count: int, value: str) -> list[str]:
    """A function of up to so many arguments that always says the same; DuckDB has one text for all of a name."""
    names = [chr(ord("a") + place) for place in range(count)]
    return [f"({', '.join(names[:some])}) AS {value}" for some in (range(1, count + 1) if count else (0,))]


def _all(kinds: tuple[tuple[str, int], ...], value: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, count in kinds:
        for one in _constant(name, count, value):
            if one not in found.setdefault(name, []):
                found[name].append(one)
    return found


def _found(given: str, column: str, relation: str, where: str) -> str:
    """A function that looks something up.

    What stands for an argument is written in as it is, so the table inside has a name that clients do not give.
    """
    made = f"{given} AS (SELECT MAX({column}) FROM {CATALOG}.{relation} AS its WHERE {where})"
    return made.replace(" its ", f" its_{relation} ").replace("its.", f"its_{relation}.")


_SEEN: Final = "its.relnamespace IN (11, 2200)"
_WHOLE: Final = "namespace_name(its.relnamespace) || '.' || its.relname"
_DEFINED: Final[dict[str, list[str]]] = {
    **_all(_NOTHING, "CAST(NULL AS VARCHAR)"),
    **_all(_YES, "TRUE"),
    **_all(_NO, "FALSE"),
    **_all(_ZERO, "CAST(0 AS BIGINT)"),
    "format_type": [_found("(t, m)", "its.shown", "type_names", "its.oid = t")],
    "pg_table_is_visible": [_found("(o)", "its.relnamespace IN (11, 2200)", "pg_class", "its.oid = o")],
    "namespace_name": [_found("(o)", "its.nspname", "pg_namespace", "its.oid = o")],
    "regclass_name": [
        _found("(o)", f"CASE WHEN {_SEEN} THEN its.relname ELSE {_WHOLE} END", "pg_class", "its.oid = o")
    ],
    "to_regclass": [
        _found(
            "(t)",
            "its.oid",
            "pg_class",
            "its.relname = string_split(replace(t, '\"', ''), '.')[-1] AND CASE WHEN contains(t, '.') THEN "
            "namespace_name(its.relnamespace) = string_split(replace(t, '\"', ''), '.')[1] ELSE its.relnamespace IN "
            "(11, 2200) END",
        )
    ],
    "to_regtype": [_found("(t)", "its.oid", "type_names", "lower(t) IN (its.name, its.shown)")],
    "obj_description": [
        _found(given, "its.description", "pg_description", "its.objoid = o AND its.objsubid = 0")
        for given in ("(o)", "(o, k)")
    ],
    "col_description": [_found("(o, p)", "its.description", "pg_description", "its.objoid = o AND its.objsubid = p")],
    "pg_get_userbyid": ["(o) AS 'partita'"],
    "pg_get_expr": ["(a, b) AS CAST(a AS VARCHAR)", "(a, b, c) AS CAST(a AS VARCHAR)"],
    "pg_encoding_to_char": ["(e) AS 'UTF8'"],
    "pg_char_to_encoding": ["(e) AS 6"],
    "pg_size_pretty": ["(s) AS CAST(s AS VARCHAR) || ' bytes'"],
    "pg_postmaster_start_time": ["() AS CAST(NULL AS TIMESTAMP)"],
    "pg_conf_load_time": ["() AS CAST(NULL AS TIMESTAMP)"],
    "pg_column_is_updatable": ["(a, b, c) AS FALSE"],
    "pg_relation_is_updatable": ["(a, b) AS 0"],
    "quote_ident": ["""(t) AS CASE WHEN regexp_full_match(t, '[a-z_][a-z0-9_]*') THEN t ELSE '"' || t || '"' END"""],
    "quote_literal": ["(t) AS '''' || replace(t, '''', '''''') || ''''"],
    "has_table_privilege": [
        "(t, p) AS lower(p) LIKE '%select%'",
        "(u, t, p) AS lower(p) LIKE '%select%'",
    ],
    "has_column_privilege": ["(t, c, p) AS lower(p) = 'select'", "(u, t, c, p) AS lower(p) = 'select'"],
    "has_any_column_privilege": ["(t, p) AS lower(p) = 'select'", "(u, t, p) AS lower(p) = 'select'"],
    "has_schema_privilege": ["(s, p) AS lower(p) = 'usage'", "(u, s, p) AS lower(p) = 'usage'"],
    "has_database_privilege": ["(d, p) AS lower(p) = 'connect'", "(u, d, p) AS lower(p) = 'connect'"],
    "has_function_privilege": ["(f, p) AS FALSE", "(u, f, p) AS FALSE"],
    "has_sequence_privilege": ["(f, p) AS FALSE", "(u, f, p) AS FALSE"],
    "array_upper": ["(a, d) AS nullif(len(a), 0)"],
    "array_lower": ["(a, d) AS CASE WHEN len(a) > 0 THEN 1 END"],
}

RESERVED: Final = (
    "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create "
    "current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc "
    "distinct do else end except false fetch for foreign from grant group having in initially intersect into lateral "
    "leading limit localtime localtimestamp not null offset on only or order placing primary references returning "
    "select session_user some symmetric table then to trailing true union unique user using variadic when where window "
    "with"
).split()
"""Words that no name can be without quotes."""
MACROS: Final = tuple(f"CREATE MACRO {name} {', '.join(bodies)}" for name, bodies in _DEFINED.items())
"""One statement for each function, whatever the number of its arguments."""
KNOWN: Final = frozenset(_DEFINED)

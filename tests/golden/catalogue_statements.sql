-- What clients ask of the catalogue, in their own words, one statement after the other, each ended by a line with a
-- semicolon alone. A line `-- differs: why` before one says that a PostgreSQL server answers otherwise, and why.

-- psycopg, SQLAlchemy
select pg_catalog.version() is not null
;
select current_schema()
;
show standard_conforming_strings
;
-- differs: every question is answered from one state of the rows, so that no weaker level is named
show transaction isolation level
;
SELECT CAST('test plain returns' AS VARCHAR(60)) AS anon_1
;
SELECT CAST('test unicode returns' AS VARCHAR(60)) AS anon_1
;
SELECT 'x' AS some_label
;
SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg_%' AND nspname IN ('public', 'information_schema') ORDER BY nspname
;
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p']) AND pg_catalog.pg_class.relpersistence != 't' AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' ORDER BY 1
;
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['v']) AND pg_catalog.pg_namespace.nspname = 'public'
;
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['m']) AND pg_catalog.pg_namespace.nspname = 'public'
;
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE pg_catalog.pg_class.relname = 'visits' AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid)
;
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE pg_catalog.pg_class.relkind = 'S' AND pg_catalog.pg_namespace.nspname = 'public'
;
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod) AS format_type, a.attnotnull, c.relname AS table_name, pgd.description AS comment FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_attribute a ON c.oid = a.attrelid AND a.attnum > 0 AND NOT a.attisdropped LEFT OUTER JOIN pg_catalog.pg_description pgd ON pgd.objoid = a.attrelid AND pgd.objsubid = a.attnum JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(c.oid) AND n.nspname != 'pg_catalog' AND c.relname IN ('visits') ORDER BY c.relname, a.attnum
;
SELECT conname FROM pg_catalog.pg_constraint WHERE contype = 'p' AND conrelid = 'visits'::regclass
;
SELECT r.conname, pg_catalog.pg_get_constraintdef(r.oid, true) AS condef FROM pg_catalog.pg_constraint r WHERE r.conrelid = 'visits'::regclass AND r.contype = 'f' ORDER BY 1
;
SELECT pg_catalog.pg_description.description FROM pg_catalog.pg_description JOIN pg_catalog.pg_class ON pg_catalog.pg_class.oid = pg_catalog.pg_description.objoid WHERE pg_catalog.pg_description.objsubid = 0 AND pg_catalog.pg_class.relname = 'visits'
;
SELECT t.typname AS name, e.enumlabel AS label FROM pg_catalog.pg_type t JOIN pg_catalog.pg_enum e ON t.oid = e.enumtypid ORDER BY t.typname
;
SELECT t.typname AS name FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype = 'd' AND n.nspname = 'public'
;
SELECT count(*) FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid WHERE c.relname = 'visits'
;
SELECT typname AS name, oid, typarray AS array_oid, oid::regtype::text AS regtype, typdelim AS delimiter FROM pg_type t WHERE t.oid = to_regtype('int8') ORDER BY t.oid
;
SELECT typname AS name, oid FROM pg_type t WHERE t.typname IN ('int4', 'text', 'date', 'numeric', 'bool') ORDER BY t.oid
;

-- psql
SELECT n.nspname as "Schema", c.relname as "Name", CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END as "Type", pg_catalog.pg_get_userbyid(c.relowner) as "Owner" FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam WHERE c.relkind IN ('r','p','') AND n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_toast' AND n.nspname <> 'information_schema' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1,2
;
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, '', c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid) LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid) WHERE c.relname = 'visits'
;
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation, a.attidentity, a.attgenerated FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'visits'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
;
SELECT inhparent::pg_catalog.regclass FROM pg_catalog.pg_inherits i WHERE i.inhrelid = 'visits'::regclass
;
SELECT pol.polname FROM pg_catalog.pg_policy pol WHERE pol.polrelid = 'visits'::regclass ORDER BY 1
;
SELECT stxrelid::pg_catalog.regclass FROM pg_catalog.pg_statistic_ext WHERE stxrelid = 'visits'::regclass
;
SELECT pubname FROM pg_catalog.pg_publication ORDER BY 1
;
SELECT d.datname as "Name", pg_catalog.pg_encoding_to_char(d.encoding) as "Encoding" FROM pg_catalog.pg_database d WHERE d.datname = current_database() ORDER BY 1
;
SELECT e.extname FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql'
;
SELECT n.nspname AS "Name" FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND n.nspname <> 'partita' ORDER BY 1
;
SELECT oid, amname FROM pg_catalog.pg_am WHERE amtype = 't'
;
SELECT evtname FROM pg_catalog.pg_event_trigger ORDER BY 1
;
SELECT fdwname FROM pg_catalog.pg_foreign_data_wrapper
;
SELECT s.srvname FROM pg_catalog.pg_foreign_server s
;
SELECT t.tgname FROM pg_catalog.pg_trigger t WHERE t.tgrelid = 'visits'::regclass AND NOT t.tgisinternal
;
SELECT r.rulename FROM pg_catalog.pg_rewrite r WHERE r.ev_class = 'visits'::regclass ORDER BY 1
;
SELECT conname, conrelid::pg_catalog.regclass FROM pg_catalog.pg_constraint WHERE confrelid = 'visits'::regclass
;
SELECT c.oid::pg_catalog.regclass FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i WHERE c.oid = i.inhparent AND i.inhrelid = 'visits'::regclass AND c.relkind != 'p' AND c.relkind != 'I' ORDER BY inhseqno
;
SELECT 'visits'::regclass::text
;
SELECT c.relname FROM pg_class c WHERE c.relname ~ '^(visits)$'
;
SELECT c.relname FROM pg_class c WHERE c.relname OPERATOR(pg_catalog.~) '^(visits)$' COLLATE pg_catalog.default
;

-- JDBC, DBeaver
SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME, CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema' WHEN true THEN 'SYSTEM TABLE' WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END ELSE NULL END AS TABLE_TYPE, d.description AS REMARKS FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0) WHERE c.relnamespace = n.oid AND n.nspname LIKE 'public' AND c.relkind = 'r' ORDER BY TABLE_TYPE, TABLE_SCHEM, TABLE_NAME
;
SELECT * FROM (SELECT n.nspname, c.relname, a.attname, a.atttypid, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull, a.atttypmod, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity, t.typtype FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (a.attrelid=c.oid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid) WHERE c.relkind in ('r','p','v','f','m') and a.attnum > 0 AND NOT a.attisdropped AND n.nspname LIKE 'public' AND c.relname LIKE 'visits') c WHERE true ORDER BY nspname, c.relname, attnum
;
SELECT nspname AS TABLE_SCHEM, NULL AS TABLE_CATALOG FROM pg_catalog.pg_namespace WHERE nspname = 'public' ORDER BY TABLE_SCHEM
;
SELECT datname AS TABLE_CAT FROM pg_catalog.pg_database WHERE datallowconn = true AND datname = 'partita' ORDER BY datname
;
SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME, ci.relname AS PK_NAME FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid) JOIN pg_catalog.pg_index i ON (ct.oid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid) WHERE n.nspname = 'public' AND ct.relname = 'visits' AND i.indisprimary
;
SELECT t.typname, t.oid FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON (t.typnamespace = n.oid) WHERE n.nspname = 'pg_catalog' AND t.typname IN ('int2', 'int4', 'int8', 'float4', 'float8', 'timestamp', 'bool', 'varchar') ORDER BY t.typname
;
SELECT t.typname, t.typtype, t.typcategory, t.typlen, t.typbyval, t.typdelim FROM pg_catalog.pg_type t WHERE t.oid IN (16, 20, 21, 23, 25, 701, 1082, 1114, 1184, 1700) ORDER BY t.oid
;
SELECT t.oid, t.typname, t.typelem, t.typarray FROM pg_catalog.pg_type t WHERE t.typname IN ('_int4', '_text', '_int8', '_bool', '_date') ORDER BY t.oid
;
SELECT e.typdelim FROM pg_catalog.pg_type t, pg_catalog.pg_type e WHERE t.oid = 1007 and t.typelem = e.oid
;
SELECT current_schema(), session_user
;
SELECT current_user, session_user, current_database()
;
SELECT version() LIKE 'PostgreSQL 1%'
;
SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE has_schema_privilege(n.oid, 'USAGE') AND n.nspname = 'public'
;
SELECT c.relname, has_table_privilege(c.oid, 'SELECT') AS readable, has_table_privilege(c.oid, 'INSERT') AS writable FROM pg_catalog.pg_class c WHERE c.relname = 'visits'
;
SELECT has_database_privilege(current_database(), 'CONNECT')
;
SELECT has_table_privilege('visits', 'SELECT'), has_table_privilege('visits', 'DELETE'), has_any_column_privilege('visits', 'SELECT')
;
SELECT has_schema_privilege('public', 'USAGE'), has_schema_privilege(current_user, 'public', 'CREATE')
;
SELECT c.relname, d.description FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'public') AND c.relkind NOT IN ('i', 'I', 'c') ORDER BY c.relname
;
SELECT c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod) AS full_type, pg_get_expr(ad.adbin, ad.adrelid) AS def_value, dsc.description FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid) LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum) LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid) WHERE NOT a.attisdropped AND c.relkind NOT IN ('i', 'I', 'c') AND a.attnum > 0 AND c.relname = 'visits' ORDER BY a.attnum
;
SELECT setting FROM pg_catalog.pg_settings WHERE name = 'standard_conforming_strings'
;
-- differs: reserved words alone are listed, and in the order of letters
SELECT string_agg(word, ',') FROM pg_catalog.pg_get_keywords() WHERE word <> ALL ('{a,abs,absolute,action}'::text[])
;
-- differs: settings have their names and values, and nothing of the files they come from
select * from pg_catalog.pg_settings where name = 'max_identifier_length'
;
show search_path
;
SELECT db.datname FROM pg_catalog.pg_database db WHERE NOT datistemplate AND datallowconn AND db.datname = 'partita' ORDER BY db.datname
;
SELECT i.relname FROM pg_catalog.pg_inherits inh, pg_catalog.pg_class i WHERE inh.inhrelid = i.oid
;
SELECT x.oid FROM pg_catalog.pg_event_trigger x
;

-- Metabase
SELECT nspname FROM pg_namespace WHERE nspname !~ '^information_schema|catalog_history|pg_' AND has_schema_privilege(nspname, 'USAGE') AND nspname <> 'partita'
;
SELECT n.nspname AS "schema", c.relname AS "name", CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'v' THEN 'VIEW' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE NULL END AS "type", d.description AS "description", NULLIF(c.reltuples, -1) AS "estimated_row_count" FROM pg_catalog.pg_class AS c INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid LEFT JOIN pg_catalog.pg_description AS d ON c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass WHERE c.relnamespace = n.oid AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'f', 'm') AND n.nspname IN ('public') ORDER BY "type" ASC, "schema" ASC, "name" ASC
;
SELECT c.column_name AS name, CASE WHEN c.udt_schema IN ('public', 'pg_catalog') THEN FORMAT('%s', c.udt_name) ELSE FORMAT('"%s"."%s"', c.udt_schema, c.udt_name) END AS "database-type", c.ordinal_position - 1 AS "database-position", c.table_schema AS "table-schema", c.table_name AS "table-name", pk.column_name IS NOT NULL AS "pk?", COL_DESCRIPTION(CAST(CAST(FORMAT('%I.%I', CAST(c.table_schema AS TEXT), CAST(c.table_name AS TEXT)) AS REGCLASS) AS OID), c.ordinal_position) AS "field-comment", ((c.column_default IS NULL) OR (LOWER(c.column_default) = 'null')) AND (c.is_nullable = 'NO') AND NOT ((c.column_default IS NOT NULL AND c.column_default LIKE '%nextval(%') OR c.is_identity <> 'NO') AS "database-required" FROM information_schema.columns AS c LEFT JOIN (SELECT tc.table_schema, tc.table_name, kc.column_name FROM information_schema.table_constraints AS tc INNER JOIN information_schema.key_column_usage AS kc ON tc.constraint_name = kc.constraint_name AND tc.table_schema = kc.table_schema AND tc.table_name = kc.table_name WHERE tc.constraint_type = 'PRIMARY KEY') AS pk ON c.table_schema = pk.table_schema AND c.table_name = pk.table_name AND c.column_name = pk.column_name WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' AND c.table_schema IN ('public') ORDER BY "table-schema" ASC, "table-name" ASC, "database-position" ASC
;
SELECT fk_ns.nspname AS "fk-table-schema", fk_table.relname AS "fk-table-name" FROM pg_constraint AS c INNER JOIN pg_class AS fk_table ON c.conrelid = fk_table.oid INNER JOIN pg_namespace AS fk_ns ON c.connamespace = fk_ns.oid WHERE c.contype = 'f' ORDER BY fk_ns.nspname, fk_table.relname
;
SELECT t.schemaname AS schema, t.tablename AS table, has_table_privilege(t.tablename, 'SELECT') AS "select" FROM pg_catalog.pg_tables t WHERE t.schemaname = 'public'
;
SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1
;
select NULL::text as role, t.schemaname as schema, t.objectname as table from (select schemaname, tablename as objectname from pg_catalog.pg_tables union select schemaname, viewname as objectname from pg_catalog.pg_views) t where t.schemaname = 'public'
;
SELECT CAST(1 AS BIGINT) AS one, CAST(2.5 AS DOUBLE PRECISION) AS two
;

-- Superset, Grafana
SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind in ('r', 'p') ORDER BY relname
;
SELECT quote_ident(table_name) FROM information_schema.tables WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog', '_timescaledb_cache', 'partita') AND table_type = 'BASE TABLE' ORDER BY 1
;
SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns WHERE CASE WHEN array_length(string_to_array('visits', '.'), 1) = 2 THEN quote_ident(table_schema) = 'x' ELSE quote_ident(table_name) = 'visits' END ORDER BY ordinal_position
;
SELECT current_setting('server_version_num')::int / 100000 > 0 AS version
;
SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'
;
SELECT 1
;
SELECT 1 AS "Sentry"
;
SELECT table_name FROM information_schema.views WHERE table_schema = 'public'
;

-- Power BI, Npgsql, Excel, ODBC
select character_set_name from INFORMATION_SCHEMA.character_sets
;
select TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE from INFORMATION_SCHEMA.tables where TABLE_SCHEMA not in ('information_schema', 'pg_catalog', 'partita') order by TABLE_SCHEMA, TABLE_NAME
;
select COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE, case when (data_type like '%unsigned%') then DATA_TYPE || ' unsigned' else DATA_TYPE end as DATA_TYPE from INFORMATION_SCHEMA.columns where TABLE_SCHEMA = 'public' and TABLE_NAME = 'visits' order by TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION
;
select pkcol.COLUMN_NAME as PK_COLUMN_NAME from (select distinct constraint_name, table_name, column_name, constraint_schema from INFORMATION_SCHEMA.key_column_usage) pkcol where pkcol.table_name = 'visits'
;
select i.CONSTRAINT_SCHEMA || '_' || i.CONSTRAINT_NAME as INDEX_NAME, ii.COLUMN_NAME, ii.ORDINAL_POSITION, case when i.CONSTRAINT_TYPE = 'PRIMARY KEY' then 'Y' else 'N' end as PRIMARY_KEY from INFORMATION_SCHEMA.table_constraints i inner join INFORMATION_SCHEMA.key_column_usage ii on i.CONSTRAINT_SCHEMA = ii.CONSTRAINT_SCHEMA and i.CONSTRAINT_NAME = ii.CONSTRAINT_NAME and i.TABLE_SCHEMA = ii.TABLE_SCHEMA and i.TABLE_NAME = ii.TABLE_NAME where i.TABLE_SCHEMA = 'public' and i.TABLE_NAME = 'visits' and i.CONSTRAINT_TYPE in ('PRIMARY KEY', 'UNIQUE')
;
SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull FROM (SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull FROM pg_type AS typ) AS t JOIN pg_namespace AS ns ON (ns.oid = typnamespace) WHERE t.typname IN ('int4', 'text') ORDER BY t.oid
;
SELECT typ.oid, att.attname, att.atttypid FROM pg_type AS typ JOIN pg_namespace AS ns ON (ns.oid = typ.typnamespace) JOIN pg_class AS cls ON (cls.oid = typ.typrelid) JOIN pg_attribute AS att ON (att.attrelid = typ.typrelid) WHERE (typ.typtype = 'c' AND cls.relkind = 'c') AND attnum > 0 AND NOT attisdropped ORDER BY typ.oid, att.attnum
;
select relname, nspname, relkind from pg_catalog.pg_class c, pg_catalog.pg_namespace n where relkind in ('r', 'v', 'm', 'f', 'p') and nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'pg_temp_1', 'partita') and n.oid = relnamespace order by nspname, relname
;
select n.nspname, c.relname, a.attname, a.atttypid, t.typname, a.attnum, a.attlen, a.atttypmod, a.attnotnull, c.relhasrules, c.relkind, pg_get_expr(d.adbin, d.adrelid), case t.typtype when 'd' then t.typbasetype else 0 end, t.typtypmod from (((pg_catalog.pg_class c inner join pg_catalog.pg_namespace n on n.oid = c.relnamespace and c.relname = 'visits' and n.nspname = 'public') inner join pg_catalog.pg_attribute a on (not a.attisdropped) and a.attnum > 0 and a.attrelid = c.oid) inner join pg_catalog.pg_type t on t.oid = a.atttypid) left outer join pg_attrdef d on a.atthasdef and d.adrelid = a.attrelid and d.adnum = a.attnum order by n.nspname, c.relname, attnum
;
select ta.attname, ia.attnum, ic.relname, n.nspname, tc.relname from pg_catalog.pg_attribute ta, pg_catalog.pg_attribute ia, pg_catalog.pg_class tc, pg_catalog.pg_index i, pg_catalog.pg_namespace n, pg_catalog.pg_class ic where tc.relname = 'visits' AND n.nspname = 'public' AND tc.oid = i.indrelid AND n.oid = tc.relnamespace AND i.indisprimary = 't' AND ia.attrelid = i.indexrelid AND ta.attrelid = i.indrelid AND ta.attnum = i.indkey[ia.attnum-1] AND ic.oid = i.indexrelid order by ia.attnum
;
select count(*) from pg_catalog.pg_proc where proname = 'no_such_function_here'
;
SELECT oid, typbasetype FROM pg_type WHERE typname = 'lo'
;

-- Tableau
SELECT relname, nspname, relkind FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n WHERE relkind IN ('r', 'v', 'm') AND relname LIKE 'vis%' AND nspname LIKE 'public' AND n.oid = relnamespace ORDER BY nspname, relname
;
SELECT CAST(a.attname AS TEXT) AS "name", (a.atttypmod - 4) >> 16 AS p FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relname = 'visits' AND a.attnum > 0 ORDER BY a.attnum
;
SELECT t.conname FROM pg_catalog.pg_constraint t WHERE t.contype IN ('p', 'u') AND t.conrelid = (SELECT oid FROM pg_class WHERE relname = 'visits')
;
SELECT COUNT(*) FROM pg_catalog.pg_database WHERE datname = current_database()
;

-- R, dbplyr
SELECT table_name FROM INFORMATION_SCHEMA.tables WHERE (table_schema = ANY(current_schemas(true))) AND (table_schema <> 'pg_catalog') ORDER BY table_name
;
SELECT COUNT(*) FROM (SELECT table_name FROM INFORMATION_SCHEMA.tables WHERE table_schema = 'public' AND table_name = 'visits') AS x
;
SELECT column_name FROM INFORMATION_SCHEMA.columns WHERE table_name = 'visits' ORDER BY ordinal_position
;
SELECT oid, typname FROM pg_type WHERE oid IN (16, 17, 20, 25, 1043) ORDER BY oid
;
SELECT 0 AS "x" WHERE (0 = 1)
;

-- pandas, ADBC, Polars
SELECT attname, atttypid FROM pg_catalog.pg_class AS cls INNER JOIN pg_catalog.pg_attribute AS attr ON cls.oid = attr.attrelid WHERE attr.attnum >= 0 AND cls.oid = 'visits'::regclass::oid ORDER BY attr.attnum
;
SELECT oid, typname, typreceive, typbasetype, typrelid, typarray FROM pg_catalog.pg_type WHERE typname IN ('int8', 'text', 'date') ORDER BY oid
;
SELECT typname, oid::bigint FROM pg_catalog.pg_type WHERE typelem = 0 AND typname IN ('bool', 'bytea', 'float8') ORDER BY 2
;
SELECT table_name FROM information_schema.tables WHERE table_name = 'visits' AND table_schema = 'public'
;
SELECT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = 'public' AND table_name = 'nothing')
;
SELECT relname FROM pg_catalog.pg_class WHERE relname IN ('visits', 'wards') ORDER BY relname
;

-- DuckDB, pgAdmin and others, words and settings
SELECT pg_is_in_recovery()
;
SELECT pg_encoding_to_char(6)
;
SHOW server_encoding
;
SHOW client_encoding
;
SHOW integer_datetimes
;
SHOW IntervalStyle
;
SHOW max_identifier_length
;
SELECT current_setting('client_encoding')
;
SELECT set_config('application_name', 'tool', false)
;
SELECT pg_catalog.set_config('search_path', 'public', false)
;
SELECT current_setting('standard_conforming_strings') = 'on'
;
SELECT current_catalog, current_schema
;
SELECT current_schemas(false)
;
SELECT array_upper(ARRAY[3, 4], 1), array_length(ARRAY['a'], 1), cardinality(ARRAY[1, 2, 3])
;
SELECT * FROM generate_series(1, 3)
;
SELECT a.n FROM unnest(ARRAY[1, 2]) AS a(n)
;
SELECT 'a' || 'b' AS c, length('four'), upper('x'), coalesce(NULL, 'y')
;
SELECT CASE WHEN 1 = 1 THEN 'yes' ELSE 'no' END
;
SELECT 1 = ANY(ARRAY[1, 2]), 3 = ALL(ARRAY[3, 3])
;
SELECT '2025-01-31'::date + 1
;
SELECT CAST('7' AS integer) + 1
;
SELECT 'A' ~ 'a', 'A' ~* 'a', 'abc' LIKE 'a%', 'abc' ILIKE 'A%', 'a' !~ 'b'
;
SELECT substring('abcdef' from 2 for 3), position('c' in 'abc'), trim('  x ')
;
SELECT split_part('a.b.c', '.', 2), replace('aXb', 'X', '-'), strpos('abc', 'b')
;
SELECT greatest(1, 5, 3), least(2, 1), nullif(1, 1), abs(-4), 7 % 3
;
SELECT round(2.5::numeric, 0), floor(2.7::numeric), ceil(2.1::numeric)
;
SELECT true AND false, NOT true, 1 IS NULL, NULL IS NULL
;
VALUES (1, 'a'), (2, 'b')
;
WITH t(x) AS (VALUES (1), (2)) SELECT x FROM t ORDER BY x DESC
;
SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) s ORDER BY x
;
SELECT count(*), min(relname), max(relname) FROM pg_class WHERE relname IN ('visits', 'wards')
;
SELECT relname, row_number() OVER (ORDER BY relname) AS place FROM pg_class WHERE relname IN ('visits', 'wards') ORDER BY 1
;
SELECT relkind, count(*) FROM pg_class WHERE relname IN ('visits', 'wards') GROUP BY relkind HAVING count(*) > 1
;
SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_name = 'visits'
;
SELECT string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'visits'
;
SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'visits'::regclass AND attnum > 0
;
SELECT column_name, data_type, udt_name, is_nullable, column_default, character_maximum_length, numeric_precision, numeric_scale FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'visits' ORDER BY ordinal_position
;
SELECT datetime_precision, numeric_precision_radix, interval_type, collation_name FROM information_schema.columns WHERE table_name = 'visits' ORDER BY ordinal_position
;
SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name
;
SELECT schema_name FROM information_schema.schemata WHERE schema_name = 'public'
;
SELECT catalog_name FROM information_schema.information_schema_catalog_name
;
SELECT constraint_name FROM information_schema.table_constraints WHERE table_name = 'visits' AND constraint_type <> 'CHECK'
;
SELECT constraint_name FROM information_schema.referential_constraints
;
SELECT routine_name FROM information_schema.routines WHERE routine_schema = 'public'
;
SELECT sequence_name FROM information_schema.sequences
;
SELECT trigger_name FROM information_schema.triggers
;
-- differs: rights are those of roles of accounts, and no grants of a database
SELECT grantee, privilege_type FROM information_schema.role_table_grants WHERE table_name = 'visits' AND grantee = current_user
;
SELECT privilege_type FROM information_schema.table_privileges WHERE table_name = 'visits' AND grantee = 'nobody'
;
SELECT obj_description('visits'::regclass), obj_description('visits'::regclass, 'pg_class'), col_description('visits'::regclass, 1)
;
SELECT to_regclass('visits') IS NOT NULL, to_regclass('nothing') IS NULL, to_regclass('public.visits') IS NOT NULL
;
-- differs: what it shows is the number of the type; compared and joined it is the same
SELECT to_regtype('int4'), to_regtype('no_such_type') IS NULL
;
SELECT format_type(23, NULL), format_type(1043, -1), format_type(1082, -1), format_type(1114, -1), format_type(1700, -1), format_type(1016, -1)
;
SELECT 23::regtype::text, 'bigint'::regtype::oid
;
SELECT pg_catalog.pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.relname = 'visits'
;
SELECT pg_table_is_visible('visits'::regclass)
;
-- differs: sizes are not told
SELECT pg_size_pretty(pg_total_relation_size('visits'))
;
SELECT pg_relation_size('visits'::regclass)
;
SELECT rolname FROM pg_roles WHERE rolname = 'partita'
;
SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = 'partita'
;
SELECT usename FROM pg_user WHERE usename = 'partita'
;
SELECT spcname FROM pg_tablespace WHERE spcname = 'pg_default'
;
SELECT collname FROM pg_collation WHERE collname IN ('C', 'default') ORDER BY 1
;
SELECT lanname FROM pg_language WHERE lanname = 'sql'
;
SELECT count(*) FROM pg_locks WHERE granted = false
;
SELECT count(*) FROM pg_prepared_xacts
;
SELECT count(*) FROM pg_stat_activity WHERE datname = 'nothing'
;
-- differs: all that is listed has one owner
SELECT nspname, pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'pg_catalog'
;
SELECT c.relname, c.relnatts, c.relkind, c.relpersistence, c.relispartition, c.relhassubclass FROM pg_class c WHERE c.oid = 'visits'::regclass
;
SELECT a.attname, a.attlen, a.attndims, a.atttypmod, a.attisdropped, a.attislocal FROM pg_attribute a WHERE a.attrelid = 'visits'::regclass AND a.attnum > 0 ORDER BY a.attnum
;
-- differs: there are no system columns
SELECT a.attname FROM pg_attribute a JOIN pg_class c ON a.attrelid = c.oid WHERE c.relname = 'visits' AND a.attnum < 0
;
SELECT tableoid::regclass FROM pg_class WHERE relname = 'visits'
;
SELECT (SELECT count(*) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS width FROM pg_class c WHERE c.relname = 'visits'
;
SELECT c.relname FROM pg_class c WHERE EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'ward') AND c.relkind = 'r' ORDER BY 1
;
SELECT "c"."relname" FROM "pg_catalog"."pg_class" "c" WHERE "c"."relname" = 'visits'
;
SELECT relname FROM pg_class WHERE relname = 'visits' FETCH FIRST 1 ROW ONLY
;
SELECT relname FROM pg_class WHERE relname IN ('visits', 'wards') ORDER BY relname DESC LIMIT 1 OFFSET 1
;

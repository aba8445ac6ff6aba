-- tool: Metabase

SELECT COUNT(*) AS "count" FROM "public"."visits"
=> answered: count whole*

SELECT "public"."visits"."sex" AS "sex", COUNT(*) AS "count" FROM "public"."visits" GROUP BY "public"."visits"."sex" ORDER BY "public"."visits"."sex" ASC
=> answered: sex text, count whole*

SELECT DATE_TRUNC('month', "public"."visits"."day") AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY DATE_TRUNC('month', "public"."visits"."day") ORDER BY DATE_TRUNC('month', "public"."visits"."day") ASC
=> answered: day day, count whole*

SELECT CAST("public"."visits"."seen" AS date) AS "seen", COUNT(*) AS "count" FROM "public"."visits" GROUP BY CAST("public"."visits"."seen" AS date) ORDER BY CAST("public"."visits"."seen" AS date) ASC
=> answered: seen day, count whole*

SELECT DATE_TRUNC('week', "public"."visits"."seen") AS "seen", AVG("public"."visits"."cost") AS "avg" FROM "public"."visits" GROUP BY DATE_TRUNC('week', "public"."visits"."seen") ORDER BY 1
=> answered: seen moment, avg number*

SELECT "public"."visits"."sex" AS "sex", SUM("public"."visits"."cost") AS "sum" FROM "public"."visits" WHERE "public"."visits"."age" >= 18 GROUP BY "public"."visits"."sex" ORDER BY "sum" DESC, "public"."visits"."sex" ASC
=> answered: sex text, sum number*

SELECT "source"."sex" AS "sex", "source"."count" AS "count" FROM (SELECT "public"."visits"."sex" AS "sex", COUNT(*) AS "count" FROM "public"."visits" GROUP BY "public"."visits"."sex") AS "source" WHERE "source"."count" > 10 LIMIT 1048575
=> answered: sex text, count whole*

SELECT "public"."visits"."age" AS "age", "public"."visits"."sex" AS "sex" FROM "public"."visits" LIMIT 2000
=> refused: query.rows-themselves

SELECT COUNT(*) AS "count" FROM "public"."visits" WHERE "public"."visits"."day" >= DATE '2025-01-01' AND "public"."visits"."day" < DATE '2025-02-01'
=> answered: count whole*

SELECT COUNT(DISTINCT "public"."visits"."city") AS "count" FROM "public"."visits"
=> answered: count whole*

SELECT MIN("public"."visits"."age") AS "min", MAX("public"."visits"."age") AS "max" FROM "public"."visits"
=> answered: min number, max number

SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "public"."visits"."age") AS "median" FROM "public"."visits"
=> answered: median number

SELECT STDDEV_POP("public"."visits"."cost") AS "stddev" FROM "public"."visits"
=> answered: stddev number*

SELECT FLOOR(("public"."visits"."age" / 10.0)) * 10.0 AS "age", COUNT(*) AS "count" FROM "public"."visits" GROUP BY FLOOR(("public"."visits"."age" / 10.0)) * 10.0 ORDER BY 1
=> answered: age whole, count whole*

SELECT COUNT(*) AS "count" FROM "public"."visits" WHERE ("public"."visits"."sex" = 'F' OR "public"."visits"."sex" = 'M') AND "public"."visits"."city" IS NOT NULL
=> answered: count whole*

SELECT SUM(CASE WHEN "public"."visits"."age" > 64 THEN 1 ELSE 0.0 END) AS "count_where" FROM "public"."visits"
=> answered: count_where number*

SELECT SUM(CASE WHEN "public"."visits"."age" > 64 THEN 1 ELSE 0.0 END) / COUNT(*) AS "share" FROM "public"."visits"
=> answered: share number*

SELECT TRUE AS "_" FROM "public"."visits" WHERE 1 <> 1 LIMIT 0
=> declared: _; 0 lines

SELECT "public"."visits"."city" AS "city" FROM "public"."visits" GROUP BY "public"."visits"."city" ORDER BY "public"."visits"."city" ASC LIMIT 1000
=> declared: city; 5 lines

SELECT CAST(EXTRACT(dow FROM "public"."visits"."day") AS integer) + 1 AS "day", COUNT(*) AS "count" FROM "public"."visits" GROUP BY 1 ORDER BY 1
=> answered: day whole, count whole*

SELECT COUNT(*) AS "count" FROM "public"."visits" WHERE LOWER("public"."visits"."city") LIKE '%or%'
=> answered: count whole*

-- tool: Superset

SELECT sex AS sex, COUNT(*) AS count FROM public.visits GROUP BY sex ORDER BY count DESC LIMIT 10000
=> answered: sex text, count whole*

SELECT DATE_TRUNC('day', seen) AS __timestamp, COUNT(*) AS count FROM public.visits WHERE seen >= TO_TIMESTAMP('2025-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND seen < TO_TIMESTAMP('2025-02-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY DATE_TRUNC('day', seen) ORDER BY count DESC LIMIT 1000
=> answered: __timestamp moment, count whole*

SELECT DATE_TRUNC('day', day) AS day, sum(cost) AS "SUM(cost)" FROM public.visits WHERE day >= TO_DATE('2025-01-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('day', day) LIMIT 50000
=> answered: day day, SUM(cost) number*

SELECT city AS city, AVG(age) AS "AVG(age)" FROM public.visits GROUP BY city ORDER BY "AVG(age)" DESC LIMIT 100
=> answered: city text, AVG(age) number*

SELECT count(*) AS "COUNT(*)" FROM public.visits WHERE sex IN ('F') AND age BETWEEN 18 AND 65 LIMIT 50000
=> answered: COUNT(*) whole*

SELECT sex AS sex, city AS city, count(*) AS count FROM public.visits GROUP BY sex, city ORDER BY count DESC LIMIT 1000
=> answered: sex text, city text, count whole*

SELECT COUNT(*) AS rowcount FROM (SELECT sex AS sex, COUNT(*) AS count FROM public.visits GROUP BY sex LIMIT 10000) AS rowcount_qry
=> answered: rowcount whole*

SELECT DISTINCT sex AS sex FROM public.visits LIMIT 1000
=> declared: sex; 4 lines

SELECT sex, count(*) AS count FROM public.visits GROUP BY sex HAVING count(*) > 5 ORDER BY count DESC LIMIT 10
=> answered: sex text, count whole*

SELECT count(DISTINCT city) AS "COUNT_DISTINCT(city)" FROM public.visits
=> answered: COUNT_DISTINCT(city) whole*

SELECT min(day), max(day) FROM public.visits
=> answered: min(day) day, max(day) day

SELECT age, sex, day FROM public.visits LIMIT 1000
=> refused: query.rows-themselves

SELECT DATE_TRUNC('year', day) AS day, sex AS sex, sum(cost) AS cost FROM public.visits GROUP BY DATE_TRUNC('year', day), sex
=> answered: day day, sex text, cost number*

-- tool: Grafana

SELECT floor(extract(epoch from seen)/3600)*3600 AS "time", count(*) AS n FROM visits WHERE seen BETWEEN '2025-01-01T00:00:00Z' AND '2025-01-02T00:00:00Z' GROUP BY 1 ORDER BY 1
=> answered: time whole, n whole*

SELECT date_trunc('hour', seen) AS time, count(*) AS value FROM visits WHERE seen >= '2025-01-01 00:00:00' AND seen < '2025-01-03 00:00:00' GROUP BY 1 ORDER BY 1
=> answered: time moment, value whole*

SELECT day AS time, avg(cost) AS cost FROM visits WHERE day BETWEEN '2025-01-01' AND '2025-01-31' GROUP BY day ORDER BY day
=> answered: time day, cost number*

SELECT count(*) AS value, sex AS metric FROM visits GROUP BY sex
=> answered: value whole*, metric text

SELECT sex AS metric, avg(age) FROM visits WHERE city IN ('York','Bath') GROUP BY sex ORDER BY 1
=> answered: metric text, avg(age) number*

SELECT extract(hour from seen) AS h, count(*) AS n FROM visits GROUP BY 1 ORDER BY 1
=> answered: h whole, n whole*

SELECT DISTINCT city FROM visits ORDER BY city
=> declared: city; 5 lines

-- tool: DBeaver

SELECT x.* FROM public.visits x
=> refused: query.rows-themselves

SELECT count(*) FROM public.visits
=> answered: count(*) whole*

SELECT COUNT(*) FROM public.visits AS x WHERE x.age > 10
=> answered: COUNT(*) whole*

SELECT sex, count(*) FROM public.visits GROUP BY sex ORDER BY 2 DESC
=> answered: sex text, count(*) whole*

SELECT "sex", count(*) as cnt FROM public.visits GROUP BY "sex" ORDER BY "cnt" DESC FETCH FIRST 200 ROWS ONLY
=> answered: sex text, cnt whole*

SELECT city, min(cost), max(cost), avg(cost) FROM public.visits GROUP BY city
=> answered: city text, min(cost) number, max(cost) number, avg(cost) number*

-- tool: Tableau

SELECT "visits"."sex" AS "sex", COUNT(1) AS "cnt:visits" FROM "public"."visits" "visits" GROUP BY 1
=> answered: sex text, cnt:visits whole*

SELECT "visits"."sex" AS "sex", SUM(1) AS "sum:Number of Records:ok" FROM "public"."visits" "visits" GROUP BY 1
=> answered: sex text, sum:Number of Records:ok number*

SELECT SUM("visits"."cost") AS "sum:cost:ok" FROM "public"."visits" "visits" HAVING (COUNT(1) > 0)
=> answered: sum:cost:ok number*

SELECT CAST(DATE_TRUNC('MONTH', CAST("visits"."day" AS DATE)) AS DATE) AS "tmn:day:ok", SUM("visits"."cost") AS "sum:cost:ok" FROM "public"."visits" "visits" GROUP BY 1
=> answered: tmn:day:ok day, sum:cost:ok number*

SELECT CAST(EXTRACT(YEAR FROM "visits"."day") AS INT) AS "yr:day:ok", COUNT(*) AS "n" FROM "public"."visits" "visits" GROUP BY 1
=> answered: yr:day:ok whole, n whole*

SELECT "visits"."city" AS "city" FROM "public"."visits" "visits" GROUP BY 1 ORDER BY 1 ASC NULLS FIRST
=> declared: city; 5 lines

SELECT AVG(CAST("visits"."age" AS DOUBLE PRECISION)) AS "avg:age:ok" FROM "public"."visits" "visits"
=> answered: avg:age:ok number*

SELECT "visits"."sex" AS "sex", AVG("visits"."cost") AS "avg" FROM "public"."visits" "visits" WHERE (("visits"."day" >= (DATE '2025-01-01')) AND ("visits"."day" <= (DATE '2025-01-31'))) GROUP BY 1
=> answered: sex text, avg number*

SELECT COUNT(DISTINCT "visits"."sex") AS "ctd:sex:ok" FROM "public"."visits" "visits"
=> answered: ctd:sex:ok whole*

SELECT (CASE WHEN ("visits"."age" >= 65) THEN 'old' ELSE 'young' END) AS "Calculation", COUNT(1) AS "n" FROM "public"."visits" "visits" GROUP BY 1
=> answered: Calculation text, n whole*

SELECT MIN("visits"."day") AS "min", MAX("visits"."day") AS "max" FROM "public"."visits" "visits" HAVING (COUNT(1) > 0)
=> answered: min day, max day

SELECT * FROM (SELECT "visits"."sex" AS "sex", COUNT(*) AS "n" FROM "public"."visits" "visits" GROUP BY 1) "t0" LIMIT 100
=> answered: sex text, n whole*

-- tool: Power BI

select "_"."sex" as "sex", count(1) as "a0" from (select "sex" from "public"."visits" "$Table") "_" group by "_"."sex" limit 1000001
=> answered: sex text, a0 whole*

select count(*) as "a0" from "public"."visits" "rows"
=> answered: a0 whole*

select "rows"."sex" as "sex", sum("rows"."cost") as "a0" from (select "_"."sex" as "sex", "_"."cost" as "cost" from "public"."visits" "_" where "_"."age" >= 18) "rows" group by "rows"."sex" limit 1000001
=> answered: sex text, a0 number*

select "$Table"."age" as "age", "$Table"."sex" as "sex" from "public"."visits" "$Table" limit 1000
=> refused: query.rows-themselves

select cast(sum("rows"."cost") as double precision) as "a0" from "public"."visits" "rows"
=> answered: a0 number*

select "_"."sex", "_"."a0" from (select "rows"."sex" as "sex", count(1) as "a0" from "public"."visits" "rows" group by "sex") "_" where not "_"."a0" is null limit 1000001
=> answered: sex text, a0 whole*

select avg(cast("rows"."age" as decimal)) as "a0" from "public"."visits" "rows"
=> answered: a0 number*

select max("rows"."age") as "a0", min("rows"."age") as "a1" from "public"."visits" "rows"
=> answered: a0 number, a1 number

select distinct "sex" from "public"."visits"
=> declared: sex; 4 lines

-- tool: dbplyr

SELECT COUNT(*) AS "n" FROM "visits"
=> answered: n whole*

SELECT "sex", COUNT(*) AS "n" FROM "visits" GROUP BY "sex"
=> answered: sex text, n whole*

SELECT "sex", AVG("cost") AS "m", COUNT(*) AS "n" FROM "visits" WHERE ("age" > 18.0) GROUP BY "sex"
=> answered: sex text, m number*, n whole*

SELECT "visits".* FROM "visits" WHERE ("age" > 18.0) LIMIT 6
=> refused: query.rows-themselves

SELECT "sex", "n" FROM (SELECT "sex", COUNT(*) AS "n" FROM "visits" GROUP BY "sex") AS "q01" WHERE ("n" > 10.0) ORDER BY "n" DESC
=> answered: sex text, n whole*

SELECT "old", COUNT(*) AS "n" FROM (SELECT "visits".*, "age" >= 65.0 AS "old" FROM "visits") AS "q01" GROUP BY "old"
=> answered: old truth, n whole*

SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "age") AS "m" FROM "visits"
=> answered: m number

SELECT STDDEV_SAMP("cost") AS "s", VAR_SAMP("cost") AS "v" FROM "visits"
=> answered: s number*, v number*

SELECT COUNT(DISTINCT "city") AS "n" FROM "visits"
=> answered: n whole*

SELECT "sex", COUNT(*) AS "n" FROM "visits" WHERE ("city" IN ('York', 'Bath')) GROUP BY "sex" ORDER BY "n" DESC LIMIT 10
=> answered: sex text, n whole*

SELECT EXTRACT(month FROM "day") AS "m", COUNT(*) AS "n" FROM "visits" GROUP BY EXTRACT(month FROM "day")
=> answered: m whole, n whole*

SELECT * FROM "visits" AS "q01" WHERE (0 = 1)
=> declared: age, sex, city, day, seen, cost; 0 lines

SELECT DISTINCT "sex" FROM "visits"
=> declared: sex; 4 lines

SELECT "sex", SUM(CASE WHEN ("age" > 64.0) THEN 1.0 WHEN NOT ("age" > 64.0) THEN 0.0 END) AS "n" FROM "visits" GROUP BY "sex"
=> answered: sex text, n number*

-- tool: Excel and ODBC

SELECT "visits_0"."sex", Count(*) FROM "partita"."public"."visits" "visits_0" GROUP BY "visits_0"."sex"
=> answered: sex text, Count(*) whole*

SELECT visits.sex, Sum(visits.cost) AS "Sum of cost" FROM public.visits visits GROUP BY visits.sex
=> answered: sex text, Sum of cost number*

SELECT "visits"."age", "visits"."sex" FROM "partita"."public"."visits" "visits"
=> refused: query.rows-themselves

SELECT COUNT(*) FROM "partita"."public"."visits"
=> answered: COUNT(*) whole*

SELECT {fn LCASE('A')}
=> goes to the catalogue

SELECT COUNT(*) FROM visits WHERE day = {d '2025-01-05'}
=> answered: COUNT(*) whole*

-- tool: SQLAlchemy and pandas

SELECT count(*) AS count_1 FROM visits
=> answered: count_1 whole*

SELECT count(*) AS count_1 FROM visits WHERE visits.age > 30
=> answered: count_1 whole*

SELECT visits.sex, count(*) AS n FROM visits GROUP BY visits.sex
=> answered: sex text, n whole*

SELECT anon_1.n AS n FROM (SELECT count(*) AS n FROM visits) AS anon_1
=> answered: n whole*

SELECT visits.sex, avg(visits.cost) AS avg_1 FROM visits WHERE visits.day >= '2025-01-01'::date GROUP BY visits.sex
=> answered: sex text, avg_1 number*

SELECT count(*) AS n FROM visits WHERE visits.age = ANY(ARRAY[1, 2, 3])
=> answered: n whole*

SELECT visits.age, visits.sex FROM visits LIMIT 5
=> refused: query.rows-themselves

SELECT count(CASE WHEN (visits.age > 64) THEN 1 END) AS old FROM visits
=> answered: old whole*

SELECT sum(visits.cost) AS s FROM visits WHERE visits.sex = 'F'::VARCHAR
=> answered: s number*

SELECT visits.sex, count(*) FILTER (WHERE visits.age > 64) AS old FROM visits GROUP BY visits.sex
=> answered: sex text, old whole*

-- tool: JDBC and Npgsql

SELECT COUNT(*) FROM "visits" AS v
=> answered: COUNT(*) whole*

SELECT v."sex" AS "Key", COUNT(*)::int AS "Count" FROM "visits" AS v GROUP BY v."sex"
=> answered: Key text, Count whole*

SELECT AVG(v."age"::double precision) FROM "visits" AS v
=> answered: AVG(v."age"::double precision) number*

SELECT COALESCE(SUM(v."cost"), 0.0) FROM "visits" AS v
=> answered: COALESCE(SUM(v."cost"), 0.0) number*

SELECT EXISTS (SELECT 1 FROM "visits" AS v WHERE v."age" > 64)
=> refused: query.rows-themselves

SELECT COUNT(*) FROM "visits" AS v WHERE v."day" >= TIMESTAMP '2025-01-01 00:00:00'
=> answered: COUNT(*) whole*

SELECT date_part('month', v."day")::int AS "Month", COUNT(*)::int AS "n" FROM "visits" AS v GROUP BY date_part('month', v."day")::int
=> answered: Month whole, n whole*

SELECT COUNT(*) FROM "visits" AS v WHERE v."sex" = 'F' AND v."city" LIKE 'Y%'
=> answered: COUNT(*) whole*

-- tool: psql and people

SELECT COUNT(*) FROM visits;
=> answered: COUNT(*) whole*

TABLE visits
=> refused: query.rows-themselves

SELECT * FROM visits LIMIT 0
=> declared: age, sex, city, day, seen, cost; 0 lines

SELECT sex, count(*) n FROM visits GROUP BY sex ORDER BY n DESC
=> answered: sex text, n whole*

SELECT width_bucket(age, 0, 120, 12) AS b, count(*) FROM visits GROUP BY 1
=> answered: b whole, count(*) whole*

SELECT count(*) FROM visits WHERE age > 64 AND sex = 'F'
=> answered: count(*) whole*

SELECT sex, round(avg(cost), 2) AS mean FROM visits GROUP BY sex
=> answered: sex text, mean number*

WITH f AS (SELECT * FROM visits WHERE sex = 'F') SELECT count(*) FROM f
=> answered: count(*) whole*

WITH t AS (SELECT sex, count(*) AS n FROM visits GROUP BY sex) SELECT sex, n * 100.0 / sum(n) OVER () AS share FROM t
=> answered: sex text, share number*

SELECT sex, count(*) AS n, sum(count(*)) OVER () AS total FROM visits GROUP BY sex
=> answered: sex text, n whole*, total number*

SELECT count(*) FROM visits v1 JOIN visits v2 ON v1.age = v2.age
=> refused: public.private-join

SELECT count(*) FROM visits TABLESAMPLE SYSTEM (10)
=> refused: query.clause-not-answered

SELECT sex, count(*) FROM visits GROUP BY ROLLUP (sex)
=> answered: sex text, count(*) whole*

SELECT sex, city, count(*) FROM visits GROUP BY CUBE (sex, city)
=> answered: sex text, city text, count(*) whole*

SELECT mode() WITHIN GROUP (ORDER BY sex) FROM visits
=> answered: sex text

SELECT corr(age, cost) FROM visits
=> answered: corr(age, cost) number*

SELECT array_agg(age) FROM visits
=> refused: query.function-not-answered

SELECT string_agg(city, ',') FROM visits
=> refused: query.function-not-answered

SELECT json_agg(visits) FROM visits
=> refused: query.function-not-answered

SELECT count(*) FROM visits WHERE random() < 0.1
=> refused: words.by-chance

SELECT count(*) FROM visits FOR UPDATE
=> refused: query.clause-not-answered

-- What is never NULL counts rows.
SELECT COUNT(beds) AS x FROM visits;
SELECT COUNT(*) AS x FROM visits;

-- A constant counts rows.
SELECT COUNT(1) AS x FROM visits;
SELECT COUNT(*) AS x FROM visits;

-- Only that it may be NULL matters.
SELECT COUNT(2 * age + 1) AS x FROM visits;
SELECT COUNT(age) AS x FROM visits;

-- A FILTER is a CASE without ELSE.
SELECT COUNT(*) FILTER (WHERE age > 64) AS x FROM visits;
SELECT COUNT(CASE WHEN age >= 65 THEN 1 ELSE NULL END) AS x FROM visits;

-- A sum over the count of its rows is an average.
SELECT SUM(beds) / COUNT(*) AS x FROM visits;
SELECT AVG(beds) AS x FROM visits;

-- Only over the rows that have a value.
SELECT SUM(age) / COUNT(age) AS x FROM visits;
SELECT AVG(age) AS x FROM visits;

-- A sum that leaves rows out is not the average of all rows.
SELECT SUM(age) / COUNT(*) AS x FROM visits;
SELECT SUM(age) / COUNT(*) AS x FROM visits;

-- A percentage is an average of 0 and 1.
SELECT 100.0 * SUM(CASE WHEN beds > 3 THEN 1 ELSE 0 END) / NULLIF(COUNT(*), 0) AS x FROM visits;
SELECT 100 * AVG(CASE WHEN beds >= 4 THEN 1 ELSE 0 END) AS x FROM visits;

-- So is a share of the rows.
SELECT COUNT(*) FILTER (WHERE smoker) / COUNT(*) AS x FROM visits;
SELECT AVG(CASE WHEN smoker = TRUE THEN 1 ELSE 0 END) AS x FROM visits;

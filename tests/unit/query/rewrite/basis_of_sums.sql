-- Sums of one column that differ by constants are the column's sum and a count.
SELECT SUM(beds) AS x, SUM(beds + 1) AS y, SUM(2 * beds + 3) AS z FROM visits;
SELECT SUM(beds) AS x, SUM(beds) + COUNT(*) AS y, 2 * SUM(beds) + 3 * COUNT(*) AS z FROM visits;

-- Two sums are no more than two numbers: nothing is gained.
SELECT SUM(beds) AS x, SUM(beds + 1) AS y FROM visits;
SELECT SUM(beds) AS x, SUM(beds + 1) AS y FROM visits;

-- Where the count is asked for, they are three.
SELECT COUNT(*) AS n, SUM(beds) AS x, SUM(beds + 1) AS y FROM visits;
SELECT COUNT(*) AS n, SUM(beds) AS x, SUM(beds) + COUNT(*) AS y FROM visits;

-- A multiple follows from the sum.
SELECT SUM(age) AS x, SUM(2 * age) AS y FROM visits;
SELECT SUM(age) AS x, 2 * SUM(age) AS y FROM visits;

-- The constant counts the rows that have a value.
SELECT SUM(age) AS x, SUM(age + 1) AS y, SUM(age - 1) AS z FROM visits;
SELECT SUM(age) AS x, SUM(age) + COUNT(age) AS y, SUM(age) + -1 * COUNT(age) AS z FROM visits;

-- A mean knows its sum and its count.
SELECT AVG(beds) AS m, SUM(beds + 1) AS y FROM visits;
SELECT AVG(beds) AS m, SUM(beds) + COUNT(*) AS y FROM visits;

-- Means of one column are one mean.
SELECT AVG(age + 1) AS m, AVG(2 * age) AS d FROM visits;
SELECT AVG(age) + 1 AS m, 2 * AVG(age) AS d FROM visits;

-- A sum of two columns that may be NULL leaves out rows that neither leaves out alone.
SELECT SUM(age) AS x, SUM(cost) AS y, SUM(age + cost) AS z FROM visits;
SELECT SUM(age) AS x, SUM(cost) AS y, SUM(age + cost) AS z FROM visits;

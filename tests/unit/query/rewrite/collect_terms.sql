-- Sums and products have one order.
SELECT SUM(cost + age) AS x FROM visits;
SELECT SUM(age + cost) AS x FROM visits;

-- Constants are folded, and equal terms put together.
SELECT SUM(2 * age + 3 + age - 1) AS x FROM visits;
SELECT SUM(3 * age + 2) AS x FROM visits;

-- A term that cancels stays, because it may be NULL.
SELECT SUM(cost + age - age) AS x FROM visits;
SELECT SUM(0 * age + cost) AS x FROM visits;

-- A term that cancels goes where it is never NULL.
SELECT SUM(cost + beds - beds) AS x FROM visits;
SELECT SUM(cost) AS x FROM visits;

-- A constant goes into a sum.
SELECT SUM((age + beds) * 2) AS x FROM visits;
SELECT SUM(2 * age + 2 * beds) AS x FROM visits;

-- Dividing by a constant is multiplying.
SELECT SUM(age / 4) AS x FROM visits;
SELECT SUM(0.25 * age) AS x FROM visits;

-- NULL in a sum is NULL.
SELECT SUM(age + NULL) AS x FROM visits;
SELECT SUM(NULL) AS x FROM visits;

-- COALESCE stops at the first constant.
SELECT SUM(COALESCE(age, NULL, 5, cost)) AS x FROM visits;
SELECT SUM(COALESCE(age, 5)) AS x FROM visits;

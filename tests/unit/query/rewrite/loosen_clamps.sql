-- A clamp wider than the column does nothing.
SELECT SUM(CLAMP(age, -5, 500)) AS x FROM visits;
SELECT SUM(age) AS x FROM visits;

-- An end beyond the column moves to it.
SELECT SUM(CLAMP(age, 18, 500)) AS x FROM visits;
SELECT SUM(CLAMP(age, 18, 120)) AS x FROM visits;

-- A clamp on one side of a column without gaps is a constant.
SELECT SUM(CLAMP(beds, 50, 60)) AS x FROM visits;
SELECT SUM(50) AS x FROM visits;

-- A branch whose condition holds nowhere is never taken.
SELECT SUM(CASE WHEN age > 500 THEN 1 ELSE age END) AS x FROM visits;
SELECT SUM(age) AS x FROM visits;

-- After a condition that always holds nothing is reached.
SELECT SUM(CASE WHEN age < 5 THEN 1 WHEN TRUE THEN 2 ELSE 3 END) AS x FROM visits;
SELECT SUM(CASE WHEN age <= 4 THEN 1 ELSE 2 END) AS x FROM visits;

-- A last branch with the value of ELSE says nothing.
SELECT SUM(CASE WHEN age < 5 THEN 1 WHEN age < 9 THEN 0 ELSE 0 END) AS x FROM visits;
SELECT SUM(CASE WHEN age <= 4 THEN 1 ELSE 0 END) AS x FROM visits;

-- What may be NULL is not always true.
SELECT SUM(CASE WHEN age >= 0 THEN 1 ELSE 0 END) AS x FROM visits;
SELECT SUM(CASE WHEN NOT age IS NULL THEN 1 ELSE 0 END) AS x FROM visits;

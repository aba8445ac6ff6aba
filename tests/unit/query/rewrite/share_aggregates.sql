-- An aggregate asked for twice is computed once; the names stay.
SELECT COUNT(*) AS x, COUNT(*) AS y FROM visits;
SELECT COUNT(*) AS x, COUNT(*) AS y FROM visits;

-- A key twice is one key.
SELECT sex, COUNT(*) AS x FROM visits GROUP BY sex, sex;
SELECT sex, COUNT(*) AS x FROM visits GROUP BY sex;

-- What fits is left as it is.
SELECT SUM(cost * cost * age) AS x FROM visits;
SELECT SUM(age * cost * cost) AS x FROM visits;

"""Plans fixed beforehand: which releases, how often, under which relation, and the promise they serve."""

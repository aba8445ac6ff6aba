"""What a plan gives away in total: composed by one theorem or the best of all, after each release or at the end."""

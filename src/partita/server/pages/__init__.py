"""Pages for people: rendered by the server, drawn by the server, with one small script that nobody needs."""

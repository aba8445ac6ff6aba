"""How noise is made and what it costs: the open family of mechanisms, one file each with its proof beside it."""

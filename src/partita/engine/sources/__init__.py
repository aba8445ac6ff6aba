"""Where rows come from: files, frames and lists, and the custodian's own look at them."""

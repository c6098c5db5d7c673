"""One module per domain: from domains import travel."""

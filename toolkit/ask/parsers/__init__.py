"""One file a parser: how a reply becomes an answer."""

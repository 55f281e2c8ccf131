"""One file a format; each takes a sheet and returns text or bytes."""

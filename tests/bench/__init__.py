"""Figures measured against a floor in the same run: `make bench`, `ONLY=name`, `SIZE=n`."""

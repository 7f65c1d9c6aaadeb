"""Why `up` cannot go on."""


class CannotGoOn(Exception):
    """A reason to stop, as a sentence for the person at the terminal."""

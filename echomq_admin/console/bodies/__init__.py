"""What a field of any bytes looks like: JSON, text, msgpack or a dump, in pieces to draw."""

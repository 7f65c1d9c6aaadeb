"""The sizes of every queue, every ten seconds for two days."""

"""A small fleet on a Valkey of its own: producers, workers and reapers that show every state.

All of them are plain users of `EchoMQ`, each a process.
"""

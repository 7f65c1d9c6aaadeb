"""Signing in and out: the page, how often it may be tried, and what the trail says of it."""

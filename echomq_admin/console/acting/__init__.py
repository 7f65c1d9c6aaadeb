"""The pages that act: one address a verb, one way from a button to the audited door."""

"""The stall ledger: how each lease ended that did not end well."""

"""The page of the stalls: how leases ended, on all queues, when and why."""

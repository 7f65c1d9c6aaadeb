"""The page of the trail: what people did on all queues, and were not let do."""

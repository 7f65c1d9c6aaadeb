"""The history of one job, as a page and as a section of the page of the job."""

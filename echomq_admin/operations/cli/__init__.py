"""What `manage.py emq` is made of: the same door as the pages, for a terminal."""

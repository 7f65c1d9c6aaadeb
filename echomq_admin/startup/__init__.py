"""What `manage.py up` is made of: processes, signals, a lock, a sign-in. It knows no queue."""

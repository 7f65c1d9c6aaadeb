"""The console's settings with a data folder of its own for each test process.

The database is SQLite. With `TEST_DATABASE=postgresql` it is one of a PostgreSQL server that the
first process of a run starts; the others are told its address in the same place.
"""

import os
import tempfile

os.environ["EMQ_DATA"] = tempfile.mkdtemp(prefix="echomq-admin-tests-")
os.environ["EMQ_SERVERS"] = ""
os.environ["DATABASE_URL"] = ""

from echomq_admin.settings import *  # noqa: F403
from echomq_admin.settings import DATA_DIR, DATABASES, database

# Else every test client looks at every static file before its first request.
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"]["TEST"] = {"NAME": DATA_DIR / "test.sqlite3"}
if wanted := os.environ.get("TEST_DATABASE"):
    if wanted == "postgresql":
        from tests import postgres

        os.environ["TEST_DATABASE"] = wanted = postgres.start()
    DATABASES["default"] = database(wanted, DATA_DIR)

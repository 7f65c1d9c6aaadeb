"""The console's settings with a data folder of its own for each test process."""

import os
import tempfile

os.environ["EMQ_DATA"] = tempfile.mkdtemp(prefix="echomq-admin-tests-")
os.environ["EMQ_SERVERS"] = ""

from echomq_admin.settings import *  # noqa: F403
from echomq_admin.settings import DATA_DIR, DATABASES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"]["TEST"] = {"NAME": DATA_DIR / "test.sqlite3"}

"""The WSGI door of the console."""

import os

from echomq_admin.startup.mounted import mounted

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "echomq_admin.settings")
application = mounted()

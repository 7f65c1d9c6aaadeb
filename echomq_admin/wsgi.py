"""The WSGI door of the console."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "echomq_admin.settings")
application = get_wsgi_application()

"""Settings, all from the environment; every name is listed in the README."""

from __future__ import annotations

import os
import re
import secrets
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from echomq_admin.database import database
from echomq_admin.ledger.endings.terms import terms

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("EMQ_DATA", BASE_DIR / "var"))


def _flag(name: str, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    return default if not value else value in {"1", "true", "yes", "on"}


def _words(name: str, default: str = "") -> list[str]:
    return os.environ.get(name, default).split()


def _whole(name: str, default: int, least: int) -> int:
    text = os.environ.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdecimal() and least <= int(text[:9]) == int(text)):
        raise ImproperlyConfigured(f"{name} is a whole number from {least} on, not {text[:50]!a}.")
    return int(text)


def _days(name: str, default: int) -> float:
    text = os.environ.get(name, "").strip() or str(default)
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,9})?", text):
        shown = repr(text[:50])
        raise ImproperlyConfigured(f"{name} is a number of days, such as 0.5, not {shown}.")
    return float(text)


def _terms(name: str) -> dict[str, float]:
    try:
        return terms(os.environ.get(name, ""))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} {error}.") from None


def _kept_secret(path: Path) -> str:
    """The signing key of this installation, made at its first start."""
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = path.with_name(f"{path.name}.{os.getpid()}")
        with open(made, "x", encoding="ascii", opener=_private) as file:
            file.write(secrets.token_urlsafe(48))
        # A link appears whole or not at all, and never replaces a key that another process made.
        with suppress(FileExistsError):
            os.link(made, path)
        made.unlink()
        return path.read_text(encoding="ascii")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


DEBUG = _flag("EMQ_DEBUG", False)
SECRET_KEY = os.environ.get("EMQ_SECRET_KEY") or _kept_secret(DATA_DIR / "secret-key")
ALLOWED_HOSTS = _words("EMQ_HOSTS", "localhost 127.0.0.1 [::1]")
CSRF_TRUSTED_ORIGINS = _words("EMQ_ORIGINS")
EMQ_SERVERS = os.environ.get("EMQ_SERVERS", "")
# While no server is named, `up` runs a demo, and leaves its address to the commands beside it.
EMQ_DEMO = not EMQ_SERVERS.split()
DEMO_SERVERS = DATA_DIR / "servers"
if EMQ_DEMO:
    with suppress(OSError):
        EMQ_SERVERS = DEMO_SERVERS.read_text(encoding="ascii", errors="replace")
EMQ_QUEUES = os.environ.get("EMQ_QUEUES", "")
EMQ_READ_ONLY = _flag("EMQ_READ_ONLY", False)
# Whether actions of the role admin must give a reason.
EMQ_REASONS = _flag("EMQ_REASONS", False)
# How long removed jobs can be restored, and requeues undone to the letter.
EMQ_TRASH_DAYS = _days("EMQ_TRASH_DAYS", 7)
# How long the stall ledger keeps an ending, by its kind.
EMQ_LEDGER_DAYS = _terms("EMQ_LEDGER_DAYS")
_PREFIX = "/".join(["", *os.environ.get("EMQ_PREFIX", "").strip("/").split("/")]).rstrip("/")
if _PREFIX:
    FORCE_SCRIPT_NAME = _PREFIX
SECURE_PROXY_SSL_HEADER: tuple[str, str] | None = None
_HAS_TLS_PROXY = _flag("EMQ_TLS_PROXY", False)
if _HAS_TLS_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
# How many proxies stand before the console, each of which adds to X-Forwarded-For whom it answers.
# Behind a TLS proxy there is one: by its own address, one person could lock out all others.
EMQ_PROXIES = _whole("EMQ_PROXIES", 1 if _HAS_TLS_PROXY else 0, 0)

# django-tables2 looks for these for a column that is not used here; psycopg would come with them,
# 10 MB in each process, whatever the database.
sys.modules.setdefault("django.contrib.postgres.fields", None)  # type: ignore[arg-type]

INSTALLED_APPS = [
    # First, so that its commands go before those of the same name.
    "echomq_admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_tables2",
    "template_partials",
    "axes",
    "echomq_admin.fleet",
    "echomq_admin.ledger",
    "echomq_admin.operations",
    "echomq_admin.console",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "echomq_admin.console.broken.Sessions",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "echomq_admin.console.addresses.Addresses",
    "echomq_admin.console.middleware.ConsoleMiddleware",
    "axes.middleware.AxesMiddleware",
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
ROOT_URLCONF = "echomq_admin.urls"
WSGI_APPLICATION = "echomq_admin.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "echomq_admin.console.access.frame",
            ],
        },
    }
]
DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""), DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Sign-ins are throttled by django-axes; what console/signing/ makes of it is told there.
AXES_FAILURE_LIMIT = _whole("EMQ_SIGN_IN_TRIES", 5, 1)
AXES_COOLOFF_TIME = timedelta(minutes=_whole("EMQ_SIGN_IN_WAIT_MINUTES", 15, 1))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_HANDLER = "echomq_admin.console.signing.throttle.Throttle"
AXES_LOCKOUT_CALLABLE = "echomq_admin.console.signing.views.locked_out"
AXES_CLIENT_IP_CALLABLE = "echomq_admin.console.signing.whence.address"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "csrfmiddlewaretoken"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CSRF_FAILURE_VIEW = "echomq_admin.console.access.csrf_failed"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000
# One field a job: a form may name as many jobs as one call takes.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 11_000
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
    }
}

# Whole: a relative one is first asked for, and kept, where the prefix is not known yet.
STATIC_URL = f"{_PREFIX}/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
USE_TZ = True
TIME_ZONE = os.environ.get("EMQ_TIME_ZONE", "UTC")
LANGUAGE_CODE = "en"
USE_I18N = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"wire": {"()": "echomq_admin.console.log.NoTraceOfTheWire"}},
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["wire"]}
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # The console says itself who failed to sign in, and from where.
    "loggers": {"axes": {"level": "ERROR"}},
}

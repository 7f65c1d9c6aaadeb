"""The sign-in page and the sign-out."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from echomq_admin.console import times
from echomq_admin.console.signing import record, throttle
from echomq_admin.fleet import clocks
from echomq_admin.fleet.spans import span

_SECOND = timedelta(seconds=1)


class SignInForm(AuthenticationForm):
    """A name that is longer than any account's is not looked up, nor kept as a failure."""

    def clean(self) -> dict[str, object]:
        if len(self.cleaned_data.get("username", "")) > User._meta.get_field("username").max_length:
            raise self.get_invalid_login_error()
        return super().clean()


class SignIn(LoginView):
    """Lets somebody in; too many failures are told with the time from which to try again."""

    form_class = SignInForm
    template_name = "console/login.html"
    redirect_authenticated_user = True

    @classmethod
    def leads_to(cls, request: HttpRequest) -> str:
        """Where a sign-in by this request would lead: an address of this console."""
        view = cls()
        view.setup(request)
        return view.get_success_url()

    @classmethod
    def again(cls, request: HttpRequest) -> str:
        """The page of this sign-in, to be opened anew."""
        return redirect_to_login(cls.leads_to(request)).url

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        answer = super().form_valid(form)
        record.signed_in(self.request, form.get_user().get_username())
        return answer

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if not throttle.is_asked(self.request):
            return super().form_invalid(form)
        name = form.cleaned_data["username"]
        if not throttle.is_locked(self.request):
            record.failed(self.request, name)
            return super().form_invalid(form)
        return self._locked(form, name)

    def _locked(self, form: AuthenticationForm, name: str) -> HttpResponse:
        now = timezone.now()
        free_at = throttle.free_at(self.request, {"username": name}) or now
        wait_s = math.ceil((free_at - now).total_seconds())
        if throttle.has_just_locked(self.request):
            record.locked(self.request, name, _minutes(wait_s))
        context = self.get_context_data(form=form, free=_told(free_at, now))
        headers = {"Retry-After": str(wait_s)}
        return self.render_to_response(context, status=429, headers=headers)


def _minutes(seconds: float) -> timedelta:
    """The whole minutes behind it, so that nobody tries too soon."""
    return timedelta(minutes=math.ceil(seconds / 60))


def _told(free_at: datetime, now: datetime) -> dict[str, str]:
    """When it may be tried again, in words: the same clock time whenever it is asked for."""
    at = free_at if not free_at.microsecond else free_at.replace(microsecond=0) + _SECOND
    wait = _minutes((free_at - now).total_seconds())
    return {
        "at": times.clock(at, clocks.unix_ms(now)),
        "zone": times.zone_offset(at),
        "wait": span(wait / timedelta(milliseconds=1)),
    }


class SignOut(LogoutView):
    """Ends a session."""

    def post(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        name = request.user.get_username()
        answer = super().post(request, *args, **kwargs)
        if name:
            record.signed_out(request, name)
        return answer


def locked_out(
    request: HttpRequest,  # noqa: ARG001
    answer: HttpResponse,
    credentials: dict | None = None,  # noqa: ARG001
) -> HttpResponse:
    """What django-axes asks for once it has refused a sign-in: the view has answered already."""
    return answer

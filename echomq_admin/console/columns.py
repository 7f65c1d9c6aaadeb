"""Which columns a list shows. The choice is a person's own and goes along to every browser."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from echomq_admin.console.access import keeps
from echomq_admin.console.models import ColumnChoice
from echomq_admin.console.tables import LISTS, ListTable


@dataclass(frozen=True)
class Columns:
    """The columns of a list for one person; the id is always there. `menu` are (name, heading,
    shown), `own` is whether they chose."""

    shown: dict[str, bool]
    menu: tuple[tuple[str, str, bool], ...]
    own: bool

    @property
    def hidden(self) -> tuple[str, ...]:
        return tuple(name for name, is_shown in self.shown.items() if not is_shown)


def columns_of(user, table: type[ListTable]) -> Columns:
    """The columns that this person sees in a list."""
    offered = table.offered()
    choice = ColumnChoice.objects.filter(user=user, tab=table.tab).first()
    wanted = set(choice.names) if choice else offered.keys() - table.rare
    shown = {name: name in wanted for name in offered}
    menu = tuple((name, heading, shown[name]) for name, heading in offered.items())
    return Columns(shown, menu, choice is not None)


@keeps
def columns(request: HttpRequest, tab: str) -> HttpResponse:
    """Remember the ticked columns of a list, or with `usual` forget that any were chosen."""
    if tab not in LISTS:
        raise Http404("There is no such list.")
    mine = {"user": request.user, "tab": tab}
    if "usual" in request.POST:
        ColumnChoice.objects.filter(**mine).delete()
    else:
        wanted = request.POST.getlist("column")
        names = [name for name in LISTS[tab].offered() if name in wanted]
        ColumnChoice.objects.update_or_create(**mine, defaults={"names": names})
    return redirect(_back(request.POST.get("next", "")))


def _back(address: str) -> str:
    """Back to the list, and never to another host."""
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(address, None)
    return address if is_ours else resolve_url("overview")

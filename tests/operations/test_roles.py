import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db.migrations.state import StateApps
from django.db.models.signals import post_migrate

from echomq_admin.operations.roles import VIEW, Role, ensure_roles
from echomq_admin.operations.services import allowed

pytestmark = pytest.mark.django_db

ALL = ["administer", "operate", "view_console"]


def _held(group: str) -> list[str]:
    codenames = Group.objects.get(name=group).permissions.values_list("codename", flat=True)
    return sorted(codenames)


def test_each_group_may_what_the_ones_before_it_may():
    assert _held("viewer") == ["view_console"]
    assert _held("operator") == ["operate", "view_console"]
    assert _held("admin") == ALL


def test_making_the_roles_again_changes_nothing():
    before = Permission.objects.count(), Group.objects.count()
    ensure_roles(apps, "default")
    assert (Permission.objects.count(), Group.objects.count()) == before


def test_a_group_that_people_changed_is_left_as_they_made_it():
    group = Group.objects.get(name="operator")
    group.permissions.clear()
    call_command("migrate", verbosity=0)
    assert _held("operator") == []


def test_a_lost_group_comes_back_with_the_next_migrate():
    Group.objects.get(name="admin").delete()
    call_command("migrate", verbosity=0)
    assert _held("admin") == ALL


def test_a_migrate_that_has_not_reached_the_users_makes_no_roles():
    Group.objects.all().delete()
    operations = apps.get_app_config("operations")
    post_migrate.send(
        operations,
        app_config=operations,
        using="default",
        apps=StateApps([], {}),
        plan=[],
        verbosity=0,
        interactive=False,
    )
    assert not Group.objects.exists()


def test_models_and_migrations_agree():
    call_command("makemigrations", "operations", check=True, dry_run=True, verbosity=0)


def test_a_viewer_may_look_and_nothing_else(member):
    viewer = member("viewer")
    assert viewer.has_perm(VIEW)
    assert not allowed(viewer, "requeue")


def test_an_inactive_user_may_nothing(member):
    admin = member("admin")
    admin.is_active = False
    assert not allowed(admin, "requeue")


def test_a_superuser_may_everything():
    assert allowed(User.objects.create_superuser("root"), "obliterate")


def test_an_action_that_does_not_exist_is_allowed_to_nobody(member):
    assert not allowed(member("admin"), "explode")


def test_permissions_are_named_after_the_application():
    assert [role.permission for role in Role] == [
        "operations.view_console",
        "operations.operate",
        "operations.administer",
    ]

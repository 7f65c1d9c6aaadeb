"""The three roles: permissions, and the groups that carry them."""

from __future__ import annotations

from enum import StrEnum

from echomq_admin.operations.models import Console


class Role(StrEnum):
    """A group of users. Each role may do what the ones before it may."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    @property
    def permission(self) -> str:
        """The permission that this role adds, as `user.has_perm` takes it."""
        return f"operations.{_CODENAMES[self]}"


_CODENAMES = {
    Role.VIEWER: "view_console",
    Role.OPERATOR: "operate",
    Role.ADMIN: "administer",
}
VIEW = Role.VIEWER.permission


def ensure_roles(apps, using: str) -> None:
    """Create the permissions and those of the three groups that are missing.

    Called by the migration, where Django has not made the permissions yet, and after every
    migrate. A group that exists is left as the people of the installation made it. Raises
    `LookupError` while the models of users are not there yet.
    """
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    groups = apps.get_model("auth", "Group").objects.using(using)
    content_types = apps.get_model("contenttypes", "ContentType").objects.using(using)
    content_type, _ = content_types.get_or_create(app_label="operations", model="console")
    names = dict(Console._meta.permissions)
    held = []
    for role in Role:
        permission, _ = permissions.get_or_create(
            content_type=content_type,
            codename=_CODENAMES[role],
            defaults={"name": names[_CODENAMES[role]]},
        )
        held.append(permission)
        group, is_new = groups.get_or_create(name=role.value)
        if is_new:
            group.permissions.add(*held)

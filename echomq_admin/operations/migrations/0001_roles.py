"""The rights of the console and the groups viewer, operator and admin."""

from django.db import migrations, models

from echomq_admin.operations.roles import ensure_roles


def create_roles(apps, schema_editor):
    ensure_roles(apps, schema_editor.connection.alias)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.CreateModel(
            name="Console",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("view_console", "Can see queues, jobs and the audit"),
                    ("operate", "Can move jobs back and pause queues"),
                    ("administer", "Can bury, remove, edit, drain and obliterate"),
                ],
                "default_permissions": (),
                "managed": False,
            },
        ),
        migrations.RunPython(create_roles, migrations.RunPython.noop),
    ]

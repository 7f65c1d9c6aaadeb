"""The steps of a call stand between two op_ids only where texts are compared byte by byte, which
PostgreSQL does when told to, and SQLite always."""

from django.db import migrations


def compare_bytes(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            'ALTER TABLE ledger_trailentry ALTER COLUMN op_id TYPE varchar(120) COLLATE "C"'
        )


class Migration(migrations.Migration):

    dependencies = [("ledger", "0002_stall_ledger")]

    operations = [migrations.RunPython(compare_bytes, migrations.RunPython.noop)]

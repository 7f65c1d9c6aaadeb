"""What the console remembers of the people who look at it."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class ColumnChoice(models.Model):
    """The columns that a person wants to see in the lists of one tab, as a list of names."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    tab = models.CharField(max_length=16)
    names = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint("user", "tab", name="one_choice_of_columns_per_tab"),
        )

    def __str__(self) -> str:
        return f"{self.user}: {self.tab}"

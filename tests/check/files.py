"""The project's own files, by kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "echomq_admin"
_FOLDERS = ("echomq_admin", "lua", "static", "templates", "tests", "tools")
_OTHERS = {"vendor", "migrations", "__pycache__"}


def own(*suffixes: str, below: Path | None = None) -> Iterator[Path]:
    """Files with one of these suffixes; what others wrote or a tool made is left out."""
    for folder in [below] if below else [ROOT / name for name in _FOLDERS]:
        for path in sorted(folder.rglob("*")):
            if path.suffix in suffixes and not _OTHERS & set(path.parts):
                yield path


def templates() -> list[str]:
    """Names of all templates, as a loader knows them."""
    folder = ROOT / "templates"
    return [str(path.relative_to(folder)) for path in own(".html", ".svg", ".txt", below=folder)]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))

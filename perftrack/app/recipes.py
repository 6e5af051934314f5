"""Whether a commit gets a Python environment of its own, and which."""

from __future__ import annotations

from pathlib import Path

from perftrack.app.project import Project
from perftrack.app.venv import DEPENDENCY_FILES, Recipe


def recipe_of(
    project: Project, tree: Path, *, python: str | None = None, chosen: str = "", owner: str = ""
) -> Recipe | None:
    """What goes into the environment of a commit's worktree; None: it gets the interpreter that is named.

    `chosen`: `venv` or `current`; empty: the configuration's, or what the commit's own files ask for. `owner`: see
    Recipe.
    """
    config = project.config
    chosen = chosen or config.env
    if chosen == "current" or (not chosen and (python or config.python)):
        return None
    recipe = Recipe(
        python=project.interpreter(python),
        files=config.env_files or DEPENDENCY_FILES,
        requirements=config.env_requirements,
        install=config.env_install,
        owner=owner,
    )
    return recipe if chosen or recipe.needed(tree) else None

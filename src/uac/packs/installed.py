"""The installed packs, and those that $UAC_PACKS selects.

Third-party packs are found through the entry point group `uac.packs`.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from uac.errors import Refused
from uac.packs.files import Pack, load_pack

__all__ = ["BUILT_IN", "GROUP", "chosen_packs", "installed_packs"]

BUILT_IN = Path(__file__).parent
GROUP = "uac.packs"


def chosen_packs(names: str | None = None) -> tuple[Pack, ...]:
    """The installed packs that $UAC_PACKS selects: `all` (the default), `none`, or names such as 'health,travel'."""
    wanted = (os.environ.get("UAC_PACKS", "all") if names is None else names).strip()
    packs = installed_packs() if wanted != "none" else ()
    if wanted in ("all", "none", ""):
        return packs
    chosen = [name.strip() for name in wanted.split(",")]
    for name in chosen:
        if name not in {pack.name for pack in packs}:
            known = ", ".join(pack.name for pack in packs)
            raise Refused(f"UAC_PACKS names {name!r}, which is not installed. Set it to all, none or some of: {known}.")
    return tuple(pack for pack in packs if pack.name in chosen)


@lru_cache(maxsize=1)
def installed_packs() -> tuple[Pack, ...]:
    """The packs of this package and of other installed packages."""
    folders = sorted(path.parent for path in BUILT_IN.glob("*/pack.toml"))
    if _has_pack_packages():
        folders += _folders_of_packages()
    packs: list[Pack] = []
    names: set[str] = set()
    for folder in folders:
        try:
            pack = load_pack(folder)
        except Refused as error:  # a broken third-party pack must not disable the others
            warnings.warn(f"A pack is skipped: {error}", stacklevel=2)
            continue
        for name in (pack.name, *pack.sources):
            if name in names:
                raise Refused(f"Pack {pack.name}: {name} exists twice in the installed packs. Rename or uninstall one.")
            names.add(name)
        packs.append(pack)
    return tuple(packs)


def _has_pack_packages() -> bool:
    """Whether an installed package may have entry points of our group.

    To import `importlib.metadata`, and the email package with it, takes longer than to read all our packs.
    """
    lists = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if [getattr(finder, "__name__", "") for finder in lists] != ["PathFinder"]:  # which lists what is in sys.path
        return True
    for folder in map(Path, sys.path):
        if folder.is_file() or folder.suffix == ".egg":
            return True
        for about in (*folder.glob("*.dist-info"), *folder.glob("*.egg-info")):
            with suppress(OSError):
                if GROUP.encode() in (about / "entry_points.txt").read_bytes():
                    return True
    return False


def _folders_of_packages() -> Iterator[Path]:
    """The folders that entry points of other packages name."""
    import importlib.metadata
    import importlib.util

    for point in importlib.metadata.entry_points(group=GROUP):
        # find_spec of a top-level package runs none of its code.
        spec = importlib.util.find_spec(point.value) if point.value.isidentifier() else None
        if spec is None or not spec.submodule_search_locations:
            raise Refused(
                f"Entry point {point.name} = {point.value!r} of {GROUP} is not a package. Name the pack's package."
            )
        yield Path(spec.submodule_search_locations[0])

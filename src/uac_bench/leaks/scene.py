"""The scene: a member with secrets, a group that she shares one field with, and those who want to know more."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from fastapi import FastAPI

from uac import Define, Field, Group, Groups, Log, Memory, Store, Type, open_store
from uac.interfaces.http import make_app
from uac.interfaces.service import Keyring
from uac.log import wall_clock

__all__ = ["ATTACKERS", "OWNER", "STAGES", "Scene"]

OWNER = "ana"
GROUP = "crew"
ATTACKERS = ("ben", "dora", "eve", "carl")
"""A member who may write, one who may read, one who was removed, and a stranger."""

STAGES = ("shared", "revoked", "shared again and changed", "words erased", "left", "member erased")

SHARED = "glimmerfish"
CHANGED = "sparkleroot"
ALERT = "ana's allergy"
SAID = "murmurade"
SECRETS = ("quorvex", "plumbitis", "zanthorium", "kernelbane", "theodrix", "vaultkraut", "hushmeadow")
"""An ungranted field, another type, words of a chat, records about somebody else, and a type of her own."""

DIARY = Type(
    domain="diary",
    name="Secret",
    doc="Everything about hushmeadow.",
    key=("title",),
    fields=(Field(name="title", type="str"), Field(name="body", type="str | None", doc="On hushmeadow.")),
)


@dataclass
class Scene:
    """A store in which these people live, and which words nobody else may read at the present stage."""

    folder: Path
    address: str
    store: Store
    app: FastAPI
    keys: dict[str, str]
    groups: Groups
    forbidden: set[str] = field(default_factory=set)
    allowed: set[str] = field(default_factory=set)

    @classmethod
    @contextmanager
    def open(cls, folder: Path, address: str = "") -> Iterator["Scene"]:
        address = address or str(folder / "leaks.db")
        store = open_store(address, create=True)
        groups = Groups(store, open_memory=_open_memory)
        app = make_app(
            store,
            make_memory=lambda name: _open_memory(store.log(name)),
            open_memory=_open_memory,
            clock=wall_clock,
            with_hooks=False,
        )
        keyring = Keyring(store.own(), wall_clock)
        keys = {
            user: keyring.create_key(user, user=user, rights=("read", "write", "erase"))[1]
            for user in (OWNER, *ATTACKERS)
        }
        scene = cls(folder, address, store, app, keys, groups)
        scene._populate()
        try:
            yield scene
        finally:
            groups.close()
            store.close()

    @property
    def group(self) -> Group:
        return self.groups.open(GROUP)

    @property
    def group_id(self) -> str:
        return self.group.id

    def stored_bytes(self) -> str:
        """The bytes of the store's files, as far as they are text; "" if it is a server."""
        files = sorted(self.folder.glob("leaks.db*"))
        return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)

    def memory(self, user: str) -> Memory:
        return _open_memory(self.store.log(user))

    def enter(self, stage: str) -> None:
        """Do what the owner does at this stage, and set what others may still read."""
        owner = self.memory(OWNER)
        self.forbidden, self.allowed = set(SECRETS), {SAID}
        match stage:
            case "shared":
                self.group.share(OWNER, "health.Allergy.substance")
                ben = self.group.memory("ben")
                ben.put("food.Meal", {"what": "crab soup", "day": date(2999, 1, 1), "who": ["Ana"]})
                ben.correct(f"health.Allergy:{SHARED}|ana|ana", "notes", "noted by Ben")
                ben.acknowledge("meal_suits_everyone", why="seen")
                self.allowed |= {SHARED, ALERT}
            case "revoked":
                self.group.unshare(OWNER)
                self.forbidden |= {SHARED, ALERT}
            case "shared again and changed":
                self.group.share(OWNER, f"health.Allergy:{SHARED}")
                owner.drop(f"health.Allergy:{SHARED}", why="wrong")
                owner.put("health.Allergy", {"substance": CHANGED, "reaction": "quorvex"})
                self.group.share(OWNER, "health.Allergy.substance")
                self.forbidden |= {SHARED}
                self.allowed |= {CHANGED, ALERT}
            case "words erased":
                record = owner.project().record(f"health.Allergy:{CHANGED}")
                self.store.log(OWNER).erase(record.cites, why="asked")
                self.forbidden |= {SHARED, CHANGED}
            case "left":
                self.group.add("dora", "admin")
                self.group.add("dora", "read")
                self.group.remove(OWNER)
                self.forbidden |= {SHARED, CHANGED, ALERT}
            case "member erased":
                self.groups.erase_member(OWNER)
                self.store.erase(OWNER)
                self.forbidden |= {SHARED, CHANGED, ALERT, SAID}
                self.allowed = set()

    def _populate(self) -> None:
        owner = self.memory(OWNER)
        owner.add("Nobody must hear of zanthorium.")
        owner.put("health.Allergy", {"substance": SHARED, "reaction": "quorvex"})
        owner.put("health.Allergy", {"substance": "shellfish", "notes": "quorvex"})
        owner.put("health.Allergy", {"substance": "kernelbane", "person": "Theodrix"})
        owner.put("health.Condition", {"name": "plumbitis"})
        owner.put("health.Medication", {"name": "vaultkraut"})
        owner.checkpoint([Define(type=DIARY)])
        owner.put("diary.Secret", {"title": "hushmeadow", "body": "zanthorium"})
        for user in ATTACKERS:
            self.memory(user).add(f"I am {user}.")
        group = self.groups.create(GROUP, OWNER, called="Ana")
        group.add("ben", "write", called="Ben")
        group.add("dora", "read", called="Dora")
        group.add("eve", "write", called="Eve")
        group.remove("eve")
        group.memory(OWNER).add(f"I say {SAID} to all of you.")


def _open_memory(log: Log) -> Memory:
    return Memory(log, embedder=None)

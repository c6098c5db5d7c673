"""Which patches a user's project takes: what packs bring along for them, and every reason against them.

`checkpoint.py` is the door and needs the project alone; here packs and a sandbox have their word, too.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from uac.constraints.proof import prove, type_errors
from uac.constraints.review import Reason, Sifted, adopts, unreviewed_refusals, without
from uac.errors import Rejected, SandboxError
from uac.log.log import Stored
from uac.packs import Offer, Pack, needed, offers
from uac.project.checkpoint import check
from uac.project.fold import project as fold
from uac.project.project import Project
from uac.project.type_changes import TypeChange
from uac.sandbox.port import Sandbox
from uac.schema.entries import AlertChange, Checkpoint, Entry, Look, kind_of
from uac.schema.patches import AddField, Adopt, Define, Learn, Patch, Put

__all__ = ["Acceptance", "Also", "Write", "accepted", "ahead", "check_adopted"]

Also = Callable[[Project, Sifted], Sequence[Entry]]
"""Makes entries that are appended with the patches that hold."""
Write = Callable[[Callable[[Project], list[Entry]]], tuple[int, ...]]
"""Appends what is made of the project; made anew if somebody wrote in between."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Says what becomes of patches. Packs and sandbox are asked for only where they are needed."""

    packs: Callable[[], Sequence[Pack]]
    sandbox: Callable[[], Sandbox]
    clock: Callable[[], datetime]
    unproved: dict[str, str]
    """Constraints of packs that cannot be adopted here, and why: filled as it is found out."""

    def refusals(
        self, project: Project, patches: Sequence[Patch], *, facts: Sequence[int] = (), reviewed: bool = False
    ) -> tuple[list[Entry], list[Reason]]:
        """What packs bring along, and every reason against the patches."""
        wrong = [] if reviewed else unreviewed_refusals(project, patches)
        if wrong:
            return [], wrong
        brought = self.brought(project, patches)
        known = ahead(project, brought, self.clock())
        result = check(known, patches, facts=facts, at=self.clock(), offered=self.type_names)
        if isinstance(result, tuple):
            return [], [Reason(r.patch, str(r), f"{r.what}: {r.why}" if r.what else r.why) for r in result]
        return brought, self._constraint_refusals(known, result.project, patches)

    def type_names(self) -> set[str]:
        """The types that packs offer."""
        return {type_.full_name for pack in self.packs() for type_ in pack.types}

    def part(self, patches: Sequence[Patch], write: Write, *, by: str, also: Also) -> tuple[int, Sifted]:
        """Write as many of a model's patches as hold together; the position of their checkpoint (0: none) and which.

        Patches that rest on the same fact stand or fall together.
        """
        banned: dict[int, str] = {}
        position, sifted = 0, Sifted((), ())

        def prepare(project: Project) -> list[Entry]:
            nonlocal position, sifted
            brought, kept, sifted = self._sifted(project, patches, banned)
            made = [*brought, Checkpoint(patches=kept, by=by)] if kept else []
            position = project.position + len(made) if made else 0
            return [*made, *also(project, sifted)]

        while True:
            try:
                write(prepare)
            except Rejected as error:  # constraints that fail on the present state
                names = {reason.partition(":")[0]: reason for reason in error.reasons}
                found = {n: names[p.constraint.name] for n, p in enumerate(patches, 1) if adopts(p, names)}
                if not found or found.keys() <= banned.keys():
                    raise
                banned |= found
            else:
                return position, sifted

    def _sifted(
        self, project: Project, patches: Sequence[Patch], banned: dict[int, str]
    ) -> tuple[list[Entry], tuple[Patch, ...], Sifted]:
        """What packs bring along for the patches that hold together without those banned; those patches; and why."""
        kept, refused = without(dict(enumerate(patches, 1)), banned), dict(banned)
        brought: list[Entry] = []
        while kept:
            brought, wrong = self.refusals(project, [*kept.values()])
            if not wrong:
                break
            numbers = [*kept]
            found = {numbers[reason.patch - 1]: reason.why for reason in wrong if reason.patch}
            found = found or dict.fromkeys(kept, wrong[0].why)
            refused |= found
            kept = without(kept, found)
        for number in range(1, len(patches) + 1):
            if number not in kept:
                refused.setdefault(
                    number, "held back: another patch for the same fact, or the type it needs, was refused"
                )
        return brought, tuple(kept.values()), Sifted(tuple(kept), tuple(sorted(refused.items())))

    def brought(self, project: Project, patches: Sequence[Patch]) -> list[Entry]:
        """A checkpoint with what packs offer for the types that patches use for the first time."""
        used = {patch.type for patch in patches if isinstance(patch, Put)}
        return self.offered(project, used - {patch.type.full_name for patch in patches if isinstance(patch, Define)})

    def offered(self, project: Project, used: Collection[str]) -> list[Entry]:
        """A checkpoint with what packs offer for these types: types, tables and constraints that can be proved."""
        if not used:
            return []
        patches = tuple(
            patch
            for patch in needed(self.packs(), project, used)
            if not isinstance(patch, Adopt) or patch.constraint.name not in self.unproved
        )
        adopted = [patch.constraint for patch in patches if isinstance(patch, Adopt)]
        if adopted:
            ground = Checkpoint(patches=tuple(patch for patch in patches if not isinstance(patch, Adopt)))
            wrong = prove(ahead(project, [ground], self.clock()), adopted, self.sandbox())
            names = {proof.constraint for proof in wrong}
            self.unproved.update({proof.constraint: proof.reason for proof in wrong})
            patches = tuple(p for p in patches if not isinstance(p, Adopt) or p.constraint.name not in names)
        return [Checkpoint(patches=patches, by="packs")] if patches else []

    def offers(self, project: Project) -> list[Offer]:
        """The constraints of packs that the project has not, and why not."""
        found = offers(self.packs(), project)
        return [offer._replace(why_not=self.unproved.get(offer.name, offer.why_not)) for offer in found]

    def _constraint_refusals(self, before: Project, after: Project, patches: Sequence[Patch]) -> list[Reason]:
        """Constraints that cannot be proved, and changes of types that would break those that are there."""
        numbers = {patch.constraint.name: n for n, patch in enumerate(patches, 1) if isinstance(patch, Adopt)}
        adopted = [patch.constraint for patch in patches if isinstance(patch, Adopt)]
        learned = {patch.knowledge.name for patch in patches if isinstance(patch, Learn)}
        adopted += [
            each.constraint
            for name, each in after.constraints.items()
            if before.constraints.get(name) == each and not learned.isdisjoint(each.reading.knows)
        ]
        failed = prove(after, adopted, self.sandbox()) if adopted else []
        wrong = [Reason(numbers.get(proof.constraint, 0), str(proof), str(proof)) for proof in failed]
        changed = [
            n for n, p in enumerate(patches, 1) if isinstance(p, TypeChange) and not isinstance(p, Define | AddField)
        ]
        if changed:
            kept = [each.constraint for name, each in after.constraints.items() if before.constraints.get(name) == each]
            try:
                broken = type_errors(after, kept, self.sandbox())
                told = [f"would break {name}: {why}" for name, why in broken]
                wrong += [Reason(changed[0], why, why) for why in told]
            except SandboxError as error:
                wrong.append(Reason(changed[0], str(error), str(error)))
        return wrong


def ahead(project: Project, entries: Sequence[Entry], at: datetime) -> Project:
    """The project with entries as they will stand if nobody writes first."""
    if not entries:
        return project
    return fold(
        [Stored(project.position + n, at, kind_of(entry), entry, b"") for n, entry in enumerate(entries, 1)], project
    )


def accepted(
    project: Project, patches: Sequence[Patch], at: datetime, *, offered: Callable[[], Collection[str]] | None = None
) -> Project:
    """The project with the patches, or Rejected; constraints are not proved."""
    result = check(project, patches, at=at, offered=offered)
    if isinstance(result, tuple):
        raise Rejected(tuple(map(str, result)))
    return result.project


def check_adopted(entries: Sequence[Entry], changes: Sequence[AlertChange | Look]) -> None:
    """Reject a constraint that gives no result on the state it would be adopted into."""
    failed = {c.constraint: c.why for c in changes if isinstance(c, AlertChange) and c.change == "failed"}
    patches = [patch for entry in entries if isinstance(entry, Checkpoint) for patch in entry.patches]
    adopted = [p.constraint for p in patches if isinstance(p, Adopt) and p.constraint.origin != "pack"]
    wrong = [constraint.name for constraint in adopted if constraint.name in failed]
    if wrong:
        raise Rejected(tuple(f"{name}: on the present state: {failed[name]}" for name in wrong))

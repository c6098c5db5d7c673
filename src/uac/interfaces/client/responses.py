"""The answers of the service: the shared views under the client's names. Fields of a newer service are ignored."""

from uac.interfaces.views.alerts import AlertEventView as AlertEvent
from uac.interfaces.views.alerts import AlertsView as Alerts
from uac.interfaces.views.alerts import AlertUpdateView as AlertNews
from uac.interfaces.views.alerts import AlertView as Alert
from uac.interfaces.views.changes import ChangeView as Change
from uac.interfaces.views.changes import DiffView as Changes
from uac.interfaces.views.changes import PutView as Put
from uac.interfaces.views.changes import WriteView as Written
from uac.interfaces.views.constraints import ConstraintTraceView as ConstraintTrace
from uac.interfaces.views.groups import GroupsView as Groups
from uac.interfaces.views.groups import GroupView as GroupMembers
from uac.interfaces.views.groups import MemberView as Member
from uac.interfaces.views.learning import FactView as Fact
from uac.interfaces.views.learning import FindingView as ToMend
from uac.interfaces.views.learning import OutcomeView as Answered
from uac.interfaces.views.learning import PendingView as Pending
from uac.interfaces.views.learning import RememberedFactView as RememberedFact
from uac.interfaces.views.learning import RememberView as Remembered
from uac.interfaces.views.learning import RequestView as Question
from uac.interfaces.views.log import AddedView as Kept
from uac.interfaces.views.log import EntryTextView as Touched
from uac.interfaces.views.log import EntryView as Entry
from uac.interfaces.views.log import ForgottenView as Forgotten
from uac.interfaces.views.log import LogPageView as LogPage
from uac.interfaces.views.project import CoverageView as Coverage
from uac.interfaces.views.project import DomainCoverageView as Covered
from uac.interfaces.views.project import FieldView as FieldOfType
from uac.interfaces.views.project import ManifestView as Manifest
from uac.interfaces.views.project import TypesView as Types
from uac.interfaces.views.project import TypeView as Type
from uac.interfaces.views.records import ClaimView as ConflictClaim
from uac.interfaces.views.records import ConflictsView as Conflicts
from uac.interfaces.views.records import ConflictView as Conflict
from uac.interfaces.views.records import EndView as RecordEnd
from uac.interfaces.views.records import EvidenceView as Evidence
from uac.interfaces.views.records import ExplainedClaimView as Claim
from uac.interfaces.views.records import ExplanationView as Explanation
from uac.interfaces.views.records import RecordPageView as RecordPage
from uac.interfaces.views.records import RecordView as Record
from uac.interfaces.views.search import CollectionView as Collection
from uac.interfaces.views.search import ComputeView as Computed
from uac.interfaces.views.search import ContextView as Context
from uac.interfaces.views.search import HitView as Hit
from uac.interfaces.views.search import PartView as Part
from uac.interfaces.views.search import RecallView as Recalled
from uac.interfaces.views.service import HooksView as Hooks
from uac.interfaces.views.service import HookTestView as HookTest
from uac.interfaces.views.service import HookView as Hook
from uac.interfaces.views.service import NewHookView as MadeHook
from uac.interfaces.views.service import UserPageView as UserPage
from uac.interfaces.views.service import UserView as UserListed

__all__ = [
    "Alert",
    "AlertEvent",
    "AlertNews",
    "Alerts",
    "Answered",
    "Change",
    "Changes",
    "Claim",
    "Collection",
    "Computed",
    "Conflict",
    "ConflictClaim",
    "Conflicts",
    "ConstraintTrace",
    "Context",
    "Coverage",
    "Covered",
    "Entry",
    "Evidence",
    "Explanation",
    "Fact",
    "FieldOfType",
    "Forgotten",
    "GroupMembers",
    "Groups",
    "Hit",
    "Hook",
    "HookTest",
    "Hooks",
    "Kept",
    "LogPage",
    "MadeHook",
    "Manifest",
    "Member",
    "Part",
    "Pending",
    "Put",
    "Question",
    "Recalled",
    "Record",
    "RecordEnd",
    "RecordPage",
    "Remembered",
    "RememberedFact",
    "ToMend",
    "Touched",
    "Type",
    "Types",
    "UserListed",
    "UserPage",
    "Written",
]

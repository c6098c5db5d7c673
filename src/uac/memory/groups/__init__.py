"""Groups: a household or a team whose members share a memory, and parts of their own.

Comes in: who is a member, with which right, and what each member shares. Goes out: the group's memory for one member,
with every access checked. A group has a log of its own, and so does each member; `group.py` keeps the copies of shared
records in step with the members' logs (`copies.py`). `membership.py` and `shared_records.py` are pure.
"""

from uac.memory.groups.group import Group, GroupRight, group_name, no_group
from uac.memory.groups.groups import Groups
from uac.memory.groups.membership import Member

__all__ = ["Group", "GroupRight", "Groups", "Member", "group_name", "no_group"]

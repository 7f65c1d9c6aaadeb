"""The model's verbs on lanes and on the whole queue: with these it is complete."""

from __future__ import annotations

from collections.abc import Iterable

from echomq_admin.emq import Drained, EmqState
from tests.emq.keys import Zset, wire
from tests.emq.model import verb
from tests.emq.model_operator import SIDE_KEYS, OperatorVerbs


class Model(OperatorVerbs):
    """Every verb of one queue."""

    @verb
    def pause(self) -> bool:
        meta = self.hash("meta")
        self.changed = b"paused" not in meta
        meta.setdefault(b"paused", b"1")
        return self.changed

    @verb
    def resume(self) -> bool:
        self.changed = self.hash("meta").pop(b"paused", None) is not None
        return self.changed

    @verb
    def pause_lane(self, group: str) -> bool:
        is_new = wire(group) not in self.members("paused")
        self.members("paused").add(wire(group))
        self.changed = is_new
        self.touch(wire(group))
        self.settle()
        return self.changed

    @verb
    def resume_lane(self, group: str) -> bool:
        was_paused = wire(group) in self.members("paused")
        self.members("paused").discard(wire(group))
        self.changed = was_paused
        self.touch(wire(group))
        self.settle()
        return self.changed

    @verb
    def limit_lane(self, group: str, n: int | None) -> None:
        limits, lane = self.hash("glimit"), wire(group)
        before = limits.get(lane)
        if n is None:
            limits.pop(lane, None)
        else:
            limits[lane] = b"%d" % n
        self.changed = limits.get(lane) != before
        self.touch(lane)

    @verb
    def drain(self, include_schedule: bool = False, budget: int = 1000) -> Drained:
        taken = removed = stranded = 0
        names = ["pending", "schedule"] if include_schedule else ["pending"]
        for name in names:
            for job in self.zset(name).in_order()[: budget - taken]:
                taken += 1
                is_child = self.is_child(job)
                is_removed = self._drain(name, job)
                removed += is_removed
                stranded += is_child and is_removed
        return Drained(removed, any(self.zset(name) for name in names), stranded)

    def _drain(self, name: str, job: bytes) -> bool:
        """Delete a waiting job; of one that is in flight as well only the waiting copy goes."""
        deadline = self.zset("active").get(job)
        if deadline is not None:
            del self.zset(name)[job]
            self.note(job, "active", deadline)
            return False
        self.note(job, "removed")
        self.leave_waiting(job)
        self.keys.pop(self.key("job:", job), None)
        for side in set(SIDE_KEYS) - {"lock"}:
            self.keys.pop(self.key("job:", job, ":", side), None)
        return True

    @verb
    def obliterate(self, force: bool = False, lanes: Iterable[str] = ()) -> bool:
        """In one call: every budget is enough for a model's queue.

        Idempotency keys, and what is left of jobs that no set holds, cannot be found.
        """
        if not self._is_paused() or (self.zset("active") and not force):
            raise EmqState
        self.changed = True
        for job in self._everyone():
            self.note(job, "removed", self.zset("active").get(job))
            self.keys.pop(self.key("job:", job), None)
            for side in SIDE_KEYS:
                self.keys.pop(self.key("job:", job, ":", side), None)
        out_of_reach = (self.key("job:"), self.key("de:"))
        for name in [name for name in self.keys if not name.startswith(out_of_reach)]:
            del self.keys[name]
        self.touched.clear()
        return False

    def _everyone(self) -> list[bytes]:
        """Every id that a set or lane holds, and the flow parents that wait for them."""
        zsets = [value for value in self.keys.values() if isinstance(value, Zset)]
        held = dict.fromkeys(job for zset in zsets for job in zset)
        for job in held.copy():
            parent = self.waiting_parent(job)
            if parent is not None:
                held[parent] = None
        return list(held)

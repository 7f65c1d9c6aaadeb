"""Every state that a verb on named jobs tells apart, of job A of a queue."""

from __future__ import annotations

from collections.abc import Callable

from tests.console.scene import A, B, G, Scene


def scheduled(scene: Scene, job_id: str = A, **fields: object) -> None:
    scene.row(job_id, **({"state": "scheduled"} | fields))
    scene.store.zadd(scene.key("schedule"), {job_id: scene.now_ms() + 10**8})


def child(scene: Scene, **parent: object) -> None:
    scene.pending(A, parent=B)
    scene.row(B, **({"state": "awaiting_children"} | parent))


def locked(scene: Scene) -> None:
    scene.pending(A)
    scene.store.set(scene.key(f"job:{A}:lock"), "worker-1")


def in_two_sets(scene: Scene, other: str, score: float = 0) -> None:
    scene.dead(A)
    scene.store.zadd(scene.key(other), {A: score})


def orphan(scene: Scene) -> None:
    scene.store.zadd(scene.key("dead"), {A: 0})


def homeless(scene: Scene, place: str) -> None:
    scene.row(A, state="dead", group=G)
    scene.store.zadd(scene.key(place), {A: 10**13})
    scene.store.set(scene.key(f"g:{G}:pending"), "x")


STATES: dict[str, Callable[[Scene], object]] = {
    "pending": lambda scene: scene.pending(A),
    "in a lane": lambda scene: scene.pending(A, group=G),
    "scheduled": scheduled,
    "dead": lambda scene: scene.dead(A, attempts=0),
    "dead, of a lane": lambda scene: scene.dead(A, group=G),
    "active": lambda scene: scene.active(A, 30_000),
    "active, lapsed": lambda scene: scene.active(A, -30_000),
    "dead and active": lambda scene: in_two_sets(scene, "active", 10**13),
    "scheduled and active": lambda scene: (
        scheduled(scene),
        scene.store.zadd(scene.key("active"), {A: 10**13}),
    ),
    "dead and pending": lambda scene: in_two_sets(scene, "pending"),
    "dead and scheduled": lambda scene: in_two_sets(scene, "schedule", 10**13),
    "locked": locked,
    "child of a waiting parent": child,
    "child of a parent that does not wait": lambda scene: child(scene, state="pending"),
    "child of another queue": lambda scene: scene.pending(A, parent=B, parent_queue="mail"),
    "child of this queue by name": lambda scene: (
        child(scene),
        scene.store.hset(scene.key(f"job:{A}"), "parent_queue", "orders"),
    ),
    "waits for children": lambda scene: scene.row(A, state="awaiting_children"),
    "row missing": orphan,
    "nowhere": lambda scene: scene.row(A),
    "attempts no integer": lambda scene: scene.dead(A, attempts="x"),
    "no hash": lambda scene: (orphan(scene), scene.store.set(scene.key(f"job:{A}"), "x")),
    "no field of ours": lambda scene: (
        orphan(scene),
        scene.store.hset(scene.key(f"job:{A}"), "data", "{}"),
    ),
    "dead, of a lane that is none": lambda scene: homeless(scene, "dead"),
    "scheduled, of a lane that is none": lambda scene: homeless(scene, "schedule"),
    "a lock that is another job": lambda scene: (
        scene.pending(A),
        scene.row(f"{A}:lock"),
    ),
}

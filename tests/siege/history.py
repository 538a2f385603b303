"""Histories of concurrent clients, and whether a sequential order of their operations explains them.

A history is linearizable if each operation could have happened at one instant between its call and its return, so that all results
are those of the operations one after the other (Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects",
1990). The search is that of Wing and Gong ("Testing and verifying concurrent objects", 1993) with Lowe's memory of visited
configurations ("Testing for linearizability", 2017). Objects are independent, so each file is searched separately.

The object is a file of Azure Files with its value, ETag and lease. An operation without a result (the connection was cut, the
emulator was killed) may have happened at any time after its call, or never.
"""
import math
from typing import NamedTuple, Optional

MISSING, REFUSED, DONE = "missing", "refused", "done"


class Operation(NamedTuple):
    call: float
    ret: float  # math.inf: no result
    name: str  # create, write, read, delete, acquire, release
    value: Optional[str] = None  # that is written
    lease: Optional[str] = None  # that the request names
    result: Optional[tuple] = None  # (DONE, value, etag), (DONE,), (MISSING,), (REFUSED,); None: none


class File(NamedTuple):
    value: str
    etag: str
    lease: Optional[str]


CONFIGURATIONS_MOST = 2000000  # of one search


class Undecided(Exception):
    """The search was given up."""


ZEROS = "zeros"
UNKNOWN = "?"  # the ETag of a write without a result, until a read shows it


def may_change(state, operation):
    return operation.lease == state.lease


def step(state, operation):
    """The result, without ETags, and the next state. `state` None: the file does not exist."""
    name, lease = operation.name, operation.lease
    if state is None:
        if name == "create":
            return (REFUSED, None) if lease else (DONE, File(ZEROS, UNKNOWN, None))
        return MISSING, None
    if name == "read":
        return DONE, state
    if name == "acquire":
        return (DONE, state._replace(lease=lease)) if state.lease in (None, lease) else (REFUSED, state)
    if name == "release":
        return (DONE, state._replace(lease=None)) if state.lease == lease else (REFUSED, state)
    if not may_change(state, operation):
        return REFUSED, state
    if name == "delete":
        return DONE, None
    return DONE, File(ZEROS if name == "create" else operation.value, UNKNOWN, state.lease)


def follow(state, operation):
    """The states after the operation with its result; none if the result is impossible in this state."""
    result, after = step(state, operation)
    if operation.result is None:
        return [after] if after == state else [after, state]
    if operation.result[0] != result:
        return []
    if result == DONE and operation.name == "read":
        _, value, etag = operation.result
        if value != state.value or state.etag not in (UNKNOWN, etag):
            return []
        return [state._replace(etag=etag)]
    if result == DONE and operation.name in ("create", "write"):
        return [after._replace(etag=operation.result[2])]
    return [after]


def matters(operations):
    """Reads without a result, and writes without one whose value was never read, may always be taken as never having happened: no result
    depends on them. Each that is left out halves the search."""
    values = {operation.result[1] for operation in operations if operation.name == "read" and operation.result and operation.result[0] == DONE}
    return lambda operation: operation.result is not None or (
        operation.name != "read" and (operation.name != "write" or operation.value in values))


def explains(operations):
    """Whether a sequential order explains the operations on one file, which does not exist at first.

    A configuration is the state and which operations have happened: all before the index `first`, not `first` itself, and those
    after it whose bits are set in `later`. The search tries the earliest call first, so `later` stays short, also where an operation without
    a result could happen until the end."""
    order = sorted(filter(matters(operations), operations))
    seen = set()
    stack = [(0, 0, sum(operation.result is not None for operation in order), None)]
    while stack:
        first, later, results, state = stack.pop()  # results: how many operations with a result have not happened
        if results == 0:
            return True
        if (first, later, state) in seen:
            continue
        seen.add((first, later, state))
        if len(seen) > CONFIGURATIONS_MOST:
            raise Undecided
        for i in reversed(may_be_next(order, first, later)):
            done = later | 1 << i - first
            run = (~done & done + 1).bit_length() - 1
            left = results - (order[i].result is not None)
            stack.extend((first + run, done >> run, left, after) for after in follow(state, order[i]))
    return False


def may_be_next(order, first, later):
    """Indices of the operations that have not happened and were called before any of those returned."""
    found, deadline = [], math.inf
    for i in range(first, len(order)):
        if later >> i - first & 1:
            continue
        if order[i].call > deadline:
            break
        deadline = min(deadline, order[i].ret)
        found.append(i)
    return found


def shrink(operations):
    """A shortest prefix, in the order of returns, that no order explains: for a message."""
    order = sorted(operations, key=lambda operation: operation.ret)
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        last = order[middle].ret
        part = [one if one.ret <= last else one._replace(ret=math.inf, result=None) for one in operations if one.call <= last]
        low, high = (low, middle) if not explains(part) else (middle + 1, high)
    return order[:low + 1]

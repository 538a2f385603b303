"""Runs scenarios and studies of trainyard in this process, through libtrainyard. Needs only Python; pandas is used if there.

    import trainyard

    run = trainyard.run("scenario.json", params={"nodes": 2}, seed=7)
    run.summary["cost_usd"]["total"]
    run.metric("workloads.team.waited_within(30m)")
    study = trainyard.study("scenario.json", vary={"nodes": [1, 2, 3]}, metrics=["cost_usd.total"], seeds=20)
    study.points            # rows as dicts, with 95 % intervals; study.frame() is a DataFrame
    trainyard.check("scenario.json").failed    # the expectations that do not hold

A scenario is a path or a dict. Errors are raised as trainyard.Error, with the place of each problem.
"""
from __future__ import annotations

import csv
import ctypes
import io
import json
import operator
import os
import pathlib
from typing import Any, Callable, Iterable, Union

__all__ = ["Check", "Error", "Run", "Study", "check", "run", "stop", "study", "version"]

ABI = 0
_FILE = f"libtrainyard.so.{ABI}"
_BAD_INPUT, _UNKNOWN = 2, 1
_SUMMARY, _RUNS, _POINTS = 0, 1, 2
Scenario = Union[str, "os.PathLike[str]", dict]
Policy = Callable[..., Union[int, None]]
_LEVELS = ("jobs", "epochs", "steps")


class _Record(ctypes.Structure):
    _fields_ = [("at_ns", ctypes.c_int64)] + [(name, ctypes.c_char_p) for name in
                                              ("record", "cluster", "node", "job", "share", "name", "line")]


class _Waiting(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int64), ("expected_ns", ctypes.c_int64), ("slots", ctypes.c_int64), ("nodes", ctypes.c_int32),
                ("priority", ctypes.c_int32), ("owner", ctypes.c_uint32), ("fits", ctypes.c_int32)]


class _Running(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int64), ("started_ns", ctypes.c_int64), ("expected_end_ns", ctypes.c_int64), ("slots", ctypes.c_int64),
                ("nodes", ctypes.c_int32), ("priority", ctypes.c_int32)]


class _View(ctypes.Structure):
    _fields_ = [("now_ns", ctypes.c_int64), ("free_slots", ctypes.c_int64), ("most_slots", ctypes.c_int64),
                ("waiting", ctypes.POINTER(_Waiting)), ("running", ctypes.POINTER(_Running)), ("used_node_us", ctypes.POINTER(ctypes.c_int64)),
                ("waiting_count", ctypes.c_int32), ("running_count", ctypes.c_int32)]


class _Case(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("holds", ctypes.c_int), ("expected", ctypes.c_char_p), ("got", ctypes.c_char_p),
                ("source", ctypes.c_char_p), ("line", ctypes.c_int32), ("column", ctypes.c_int32)]


_Trace = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Record))
_Policy = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_View))
_Texts = ctypes.POINTER(ctypes.c_char_p)


class _Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("text", ctypes.c_char_p), ("text_length", ctypes.c_size_t),
                ("params", _Texts), ("param_count", ctypes.c_size_t), ("settings", _Texts), ("setting_count", ctypes.c_size_t),
                ("trace", _Trace), ("owner", ctypes.c_void_p), ("trace_level", ctypes.c_int),
                ("vary", _Texts), ("vary_count", ctypes.c_size_t), ("metrics", _Texts), ("metric_count", ctypes.c_size_t),
                ("seeds", ctypes.c_int64), ("threads", ctypes.c_int32), ("check_determinism", ctypes.c_int), ("policy", _Policy)]


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("source", ctypes.c_char_p), ("message", ctypes.c_char_p), ("hint", ctypes.c_char_p),
                ("line", ctypes.c_int32), ("column", ctypes.c_int32)]


class _Pointer(ctypes.c_void_p):
    """A trainyard_result, which belongs to its process. It is freed with the last result that refers to it."""

    def __del__(self):
        if self.value and _library:
            _library.trainyard_free(self)
            self.value = None


def _load():
    """The library: of $TRAINYARD_LIBRARY, or next to this file as in a wheel, or where the system finds it."""
    beside = pathlib.Path(__file__).with_name(_FILE)
    path = os.environ.get("TRAINYARD_LIBRARY") or str(beside if beside.exists() else _FILE)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{error}; TRAINYARD_LIBRARY=FILE in the environment names {_FILE}") from error
    if library.trainyard_abi() != ABI:
        raise ImportError(f"libtrainyard has ABI {library.trainyard_abi()}, this module needs {ABI}")
    for name, kind, arguments in (
            ("version", ctypes.c_char_p, []),
            ("run", _Pointer, [ctypes.POINTER(_Request)]),
            ("study", _Pointer, [ctypes.POINTER(_Request)]),
            ("check", _Pointer, [ctypes.POINTER(_Request)]),
            ("case_count", ctypes.c_size_t, [ctypes.c_void_p]),
            ("case_at", _Case, [ctypes.c_void_p, ctypes.c_size_t]),
            ("free", None, [ctypes.c_void_p]),
            ("code", ctypes.c_int, [ctypes.c_void_p]),
            ("error_count", ctypes.c_size_t, [ctypes.c_void_p]),
            ("error_at", _Error, [ctypes.c_void_p, ctypes.c_size_t]),
            ("metric", _Error, [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_double)]),
            ("text", ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_int])):
        function = getattr(library, "trainyard_" + name)
        function.restype, function.argtypes = kind, arguments
    return library


_library = _load()
version: str = _library.trainyard_version().decode()


class Error(ValueError):
    """Problems, each "source:line:column: message", with a hint in the next line where there is one."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


def _problem(error):
    place = error.source.decode()
    if error.line:
        place += f":{error.line}:{error.column}"
    hint = f"\n  hint: {error.hint.decode()}" if error.hint else ""
    return f"{place}: {error.message.decode()}{hint}"


def _texts(items):
    items = [item.encode() for item in ([items] if isinstance(items, str) else items)]
    return (ctypes.c_char_p * max(len(items), 1))(*items), len(items)


def _plain(value):
    """A number or an array of numpy as Python has it."""
    try:
        return value.tolist()
    except AttributeError:
        raise TypeError(f"a value is of type {type(value).__name__}, which JSON does not have") from None


def _json(value):
    return json.dumps(value, default=_plain)


def _value(value):
    """As on a command line: a text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else _json(value)


def _request(scenario):
    request = _Request(size=ctypes.sizeof(_Request))
    if isinstance(scenario, dict):
        request.text = _json(scenario).encode()
        request.text_length = len(request.text)
    else:
        request.path = os.fsencode(os.fspath(scenario))
    return request


class _Result:
    def __init__(self, pointer):
        self._pointer = pointer
        problems = [_problem(_library.trainyard_error_at(pointer, i)) for i in range(_library.trainyard_error_count(pointer))]
        code = _library.trainyard_code(pointer)
        if code == 4:
            raise KeyboardInterrupt
        if code:
            raise Error(problems)
        self.warnings: list[str] = problems

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} belongs to its process: pass on its members, such as summary, points or cases")

    def __copy__(self):
        return self

    def _text(self, which):
        return _library.trainyard_text(self._pointer, which).decode()


class Run(_Result):
    """A run: its summary, as in summary.json, and its metrics by name."""

    _summary = None

    @property
    def summary(self) -> dict[str, Any]:
        if self._summary is None:
            self._summary = json.loads(self._text(_SUMMARY))
        return self._summary

    def metric(self, name: str) -> float | None:
        """The value of a metric in its unit; None if it has not happened. Error for one that runs do not have."""
        value = ctypes.c_double()
        error = _library.trainyard_metric(self._pointer, name.encode(), ctypes.byref(value))
        if error.code == _UNKNOWN:
            return None
        if error.code:
            raise Error([_problem(error)])
        return value.value


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


class Study(_Result):
    """A study: `runs` has a row a run, `points` a row a point, each a list of dicts."""

    def _rows(self, which):
        return [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(self._text(which)))]

    @property
    def runs(self) -> list[dict[str, Any]]:
        return self._rows(_RUNS)

    @property
    def points(self) -> list[dict[str, Any]]:
        return self._rows(_POINTS)

    def frame(self, of: str = "points") -> Any:
        """`points` or `runs` as a DataFrame of pandas."""
        import pandas  # pylint: disable=import-outside-toplevel

        return pandas.read_csv(io.StringIO(self._text({"points": _POINTS, "runs": _RUNS}[of])))


class Check(_Result):
    """A scenario or a study with its expectations: `cases` has a dict for each, the first for the run itself."""

    @property
    def cases(self) -> list[dict[str, Any]]:
        cases = [_library.trainyard_case_at(self._pointer, i) for i in range(_library.trainyard_case_count(self._pointer))]
        return [{"name": case.name.decode(), "holds": bool(case.holds), "expected": case.expected.decode(), "got": case.got.decode(),
                 "at": f"{case.source.decode()}:{case.line}:{case.column}" if case.line else case.source.decode()} for case in cases]

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The cases that do not hold."""
        return [case for case in self.cases if not case["holds"]]


def stop(index: int) -> int:
    """The answer of a policy that stops `running[index]`."""
    return -2 - index


def _answer(answer):
    """An index: ctypes would cut off a large one."""
    index = operator.index(answer)
    if not -2**31 <= index < 2**31:
        raise OverflowError(f"the policy returned {index}, which is not an index")
    return index


def _policy(choose, raised):
    """The callback of a policy: `choose(now_ns, free_slots, most_slots, waiting, running, used_node_us)` with lists."""
    def call(view):
        view = view.contents
        waiting = view.waiting[:view.waiting_count]
        owners = max((job.owner + 1 for job in waiting), default=0)
        try:
            answer = None if raised else choose(view.now_ns, view.free_slots, view.most_slots, waiting,
                                                view.running[:view.running_count], view.used_node_us[:owners])
            return -1 if answer is None else _answer(answer)
        except BaseException as error:  # pylint: disable=broad-exception-caught
            raised.append(error)
            return -1
    return _Policy(call) if choose else _Policy()


def _scenario_request(scenario, params, settings, seed):
    request = _request(scenario)
    settings = dict(settings or {})
    if seed is not None:
        settings["/seed"] = seed
    request.params, request.param_count = _texts(f"{name}={_value(value)}" for name, value in (params or {}).items())
    request.settings, request.setting_count = _texts(f"{pointer}={_value(value)}" for pointer, value in settings.items())
    return request


def check(scenario: Scenario, params: dict[str, Any] | None = None, settings: dict[str, Any] | None = None, seed: int | None = None,
          seeds: int = 0, policy: Policy | None = None) -> Check:
    """Runs a scenario or a study and evaluates its expectations, as `trainyard test` does. `seeds` is the number of runs for expectations
    over several seeds; `params`, `settings` and `policy` are as in run(), for a scenario."""
    request, raised = _scenario_request(scenario, params, settings, seed), []
    request.seeds, request.policy = seeds, _policy(policy, raised)
    result = _library.trainyard_check(ctypes.byref(request))
    if raised:
        raise raised[0]
    return Check(result)


def run(scenario: Scenario, params: dict[str, Any] | None = None, settings: dict[str, Any] | None = None, seed: int | None = None,
        trace: Callable[[dict[str, Any]], object] | None = None, level: str = "jobs", policy: Policy | None = None,
        check_determinism: bool = False) -> Run:
    """Runs a scenario. `params` are its parameters by name, `settings` any values by JSON pointer. `trace` is called with each record of
    the trace, a dict; `level` is jobs, epochs or steps. `policy(now_ns, free_slots, most_slots, waiting, running, used_node_us)` chooses
    the next job of a queue: it returns an index of `waiting` whose job has `fits`, stop(index of `running`), or None. trainyard_policy.h says
    what the members mean. `check_determinism` runs twice, and raises Error for the first record that differs. An exception in `trace` or `policy` is
    raised after the run."""
    request, raised = _scenario_request(scenario, params, settings, seed), []
    request.check_determinism, request.policy = check_determinism, _policy(policy, raised)
    if level not in _LEVELS:
        raise ValueError(f'unknown level "{level}", expected one of {", ".join(_LEVELS)}')
    request.trace_level = _LEVELS.index(level)

    def call(_owner, record):
        fields = {name: getattr(record.contents, name) for name, _ in _Record._fields_}
        try:
            if not raised:
                trace({name: value.decode() if isinstance(value, bytes) else value for name, value in fields.items()})
        except BaseException as error:  # pylint: disable=broad-exception-caught
            raised.append(error)

    callback = _Trace(call) if trace else _Trace()
    request.trace = callback
    result = _library.trainyard_run(ctypes.byref(request))
    if raised:
        raise raised[0]
    return Run(result)


def study(scenario: Scenario, vary: dict[str, str | Iterable[Any]] | None = None, metrics: str | Iterable[str] = (), seeds: int = 0,
          threads: int = 0) -> Study:
    """Runs a study file, or a scenario at every combination of the levels in `vary` (a list, or a text such as "1..16" by name), with
    `seeds` seeds each."""
    request = _request(scenario)
    request.vary, request.vary_count = _texts(
        f"{name}={levels if isinstance(levels, str) else ','.join(_value(level) for level in levels)}"
        for name, levels in (vary or {}).items())
    request.metrics, request.metric_count = _texts(metrics)
    request.seeds, request.threads = seeds, threads
    return Study(_library.trainyard_study(ctypes.byref(request)))

"""Runs scenarios and studies of trainyard in this process, through libtrainyard. Needs no build and no package; pandas is used if there.

    import trainyard

    run = trainyard.run("scenario.json", params={"nodes": 2}, seed=7)
    run.summary["cost_usd"]["total"]
    run.metric("workloads.team.waited_within(30m)")
    study = trainyard.study("scenario.json", vary={"nodes": [1, 2, 3]}, metrics=["cost_usd.total"], seeds=20)
    study.points            # rows as dicts, with 95 % intervals; study.frame() is a DataFrame

A scenario is a path or a dict. Errors are raised as trainyard.Error, with the place of each problem.
"""
import csv
import ctypes
import io
import json
import os

__all__ = ["Error", "Run", "Study", "run", "study", "version"]

ABI = 0
_BAD_INPUT, _UNKNOWN = 2, 1
_SUMMARY, _RUNS, _POINTS = 0, 1, 2


class _Record(ctypes.Structure):
    _fields_ = [("at_ns", ctypes.c_int64)] + [(name, ctypes.c_char_p) for name in
                                              ("record", "cluster", "node", "job", "share", "name", "line")]


_Trace = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Record))
_Texts = ctypes.POINTER(ctypes.c_char_p)


class _Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("text", ctypes.c_char_p), ("text_length", ctypes.c_size_t),
                ("params", _Texts), ("param_count", ctypes.c_size_t), ("settings", _Texts), ("setting_count", ctypes.c_size_t),
                ("trace", _Trace), ("owner", ctypes.c_void_p), ("trace_level", ctypes.c_int),
                ("vary", _Texts), ("vary_count", ctypes.c_size_t), ("metrics", _Texts), ("metric_count", ctypes.c_size_t),
                ("seeds", ctypes.c_int64), ("threads", ctypes.c_int32)]


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("source", ctypes.c_char_p), ("message", ctypes.c_char_p), ("hint", ctypes.c_char_p),
                ("line", ctypes.c_int32), ("column", ctypes.c_int32)]


def _load():
    """The library: of $TRAINYARD_LIBRARY, or where the system finds it."""
    library = ctypes.CDLL(os.environ.get("TRAINYARD_LIBRARY", "libtrainyard.so.0"))
    if library.trainyard_abi() != ABI:
        raise ImportError(f"libtrainyard has ABI {library.trainyard_abi()}, this module needs {ABI}")
    for name, kind, arguments in (
            ("version", ctypes.c_char_p, []),
            ("run", ctypes.c_void_p, [ctypes.POINTER(_Request)]),
            ("study", ctypes.c_void_p, [ctypes.POINTER(_Request)]),
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
version = _library.trainyard_version().decode()


class Error(ValueError):
    """Problems, each "source:line:column: message", with a hint in the next line where there is one."""

    def __init__(self, problems):
        self.problems = problems
        super().__init__("\n".join(problems))


def _problem(error):
    place = error.source.decode()
    if error.line:
        place += f":{error.line}:{error.column}"
    hint = f"\n  hint: {error.hint.decode()}" if error.hint else ""
    return f"{place}: {error.message.decode()}{hint}"


def _texts(items):
    items = [item.encode() for item in items]
    return (ctypes.c_char_p * max(len(items), 1))(*items), len(items)


def _value(value):
    """As on a command line: a text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _request(scenario):
    request = _Request(size=ctypes.sizeof(_Request))
    if isinstance(scenario, dict):
        request.text = json.dumps(scenario).encode()
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
        self.warnings = problems

    def __del__(self):
        _library.trainyard_free(getattr(self, "_pointer", None))

    def _text(self, which):
        return _library.trainyard_text(self._pointer, which).decode()


class Run(_Result):
    """A run: its summary, as in summary.json, and its metrics by name."""

    _summary = None

    @property
    def summary(self):
        if self._summary is None:
            self._summary = json.loads(self._text(_SUMMARY))
        return self._summary

    def metric(self, name):
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
    def runs(self):
        return self._rows(_RUNS)

    @property
    def points(self):
        return self._rows(_POINTS)

    def frame(self, of="points"):
        """`points` or `runs` as a DataFrame of pandas."""
        import pandas  # pylint: disable=import-outside-toplevel

        return pandas.read_csv(io.StringIO(self._text({"points": _POINTS, "runs": _RUNS}[of])))


def run(scenario, params=None, settings=None, seed=None, trace=None, level="jobs"):
    """Runs a scenario. `params` are its parameters by name, `settings` any values by JSON pointer. `trace` is called with each record of
    the trace, a dict; `level` is jobs, epochs or steps. An exception in `trace` is raised after the run."""
    request, raised = _request(scenario), []
    settings = dict(settings or {})
    if seed is not None:
        settings["/seed"] = seed
    request.params, request.param_count = _texts(f"{name}={_value(value)}" for name, value in (params or {}).items())
    request.settings, request.setting_count = _texts(f"{pointer}={_value(value)}" for pointer, value in settings.items())
    request.trace_level = ("jobs", "epochs", "steps").index(level)

    def call(_owner, record):
        fields = {name: getattr(record.contents, name) for name, _ in _Record._fields_}
        try:
            if not raised:
                trace({name: value.decode() if isinstance(value, bytes) else value for name, value in fields.items()})
        except BaseException as error:  # pylint: disable=broad-exception-caught
            raised.append(error)

    callback = _Trace(call) if trace else _Trace()
    request.trace = callback
    result = Run(_library.trainyard_run(ctypes.byref(request)))
    if raised:
        raise raised[0]
    return result


def study(scenario, vary=None, metrics=(), seeds=0, threads=0):
    """Runs a study file, or a scenario at every combination of the levels in `vary` (a list, or a text such as "1..16" by name), with
    `seeds` seeds each."""
    request = _request(scenario)
    request.vary, request.vary_count = _texts(
        f"{name}={levels if isinstance(levels, str) else ','.join(_value(level) for level in levels)}"
        for name, levels in (vary or {}).items())
    request.metrics, request.metric_count = _texts(metrics)
    request.seeds, request.threads = seeds, threads
    return Study(_library.trainyard_study(ctypes.byref(request)))

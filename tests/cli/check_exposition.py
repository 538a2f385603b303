#!/usr/bin/python3
"""Checks a scrape of Prometheus' text format, by the format's rules and by the rules of `promtool check metrics`.

    check_exposition.py SCRAPE [GRAFANA.json]

With a dashboard also that each metric in its queries is in the scrape. Prints the problems; exit code 1 if there are any.
"""
import json
import math
import re
import sys

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+]?(?:[0-9]+(?:\.[0-9]+)?|Inf)|NaN)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


def labels_of(text):
    labels, at = {}, 0
    while at < len(text or ""):
        found = LABEL.match(text, at)
        if not found or found[1] in labels:
            return None
        labels[found[1]], at = found[2], found.end()
    return labels


def read(path):
    """The families: name to (type, help, [(suffix, labels, value)]), and the problems of lines."""
    families, problems, family = {}, [], None
    text = open(path, encoding="utf-8").read()
    if not text.endswith("\n"):
        problems.append("the last line has no end")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, _, about = line[7:].partition(" ")
            if name in families:
                problems.append(f"{name}: a second family of that name")
            family = families[name] = {"help": about, "type": None, "samples": []}
            last = name
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            if family is None or name != last or family["type"] or family["samples"] or kind not in SUFFIXES:
                problems.append(f"not the TYPE of the family before it: {line}")
            else:
                family["type"] = kind
        else:
            found = SAMPLE.match(line)
            labels = labels_of(found[2]) if found else None
            if labels is None:
                problems.append(f"not a sample: {line}")
            elif not family or not found[1].startswith(last) or found[1][len(last):] not in SUFFIXES[family["type"]]:
                problems.append(f"not of the family {last}: {line}")
            else:
                family["samples"].append((found[1][len(last):], labels, float(found[3])))
    return families, problems


def histogram_problems(name, samples):
    series = {}
    for suffix, labels, value in samples:
        key = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
        series.setdefault(key, {}).setdefault(suffix, []).append((labels.get("le"), value))
    for key, parts in series.items():
        limits = [math.inf if le == "+Inf" else float(le) for le, _ in parts.get("_bucket", [])]
        counts = [count for _, count in parts.get("_bucket", [])]
        if limits != sorted(set(limits)) or not limits or limits[-1] != math.inf:
            yield f"{name}{key}: limits do not rise to +Inf"
        elif counts != sorted(counts):
            yield f"{name}{key}: buckets are not cumulative"
        elif [count for _, count in parts.get("_count", [])] != counts[-1:] or len(parts.get("_sum", [])) != 1:
            yield f"{name}{key}: _count and _sum do not fit the buckets"


def family_problems(name, family):
    if not family["help"] or not family["type"]:
        yield f"{name}: no HELP or no TYPE"
    if (family["type"] == "counter") != name.endswith("_total"):
        yield f"{name}: counters, and only they, end in _total"
    if re.search(r"_(ms|us|ns|minutes|hours|kib|mib|milliseconds)(_|$)|[A-Z]|(gauge|counter|histogram)", name):
        yield f"{name}: not in base units, or with its type, or with capitals"
    seen = [(suffix, sorted(labels.items())) for suffix, labels, _ in family["samples"]]
    if len(seen) != len({repr(key) for key in seen}):
        yield f"{name}: a sample twice"
    if any(value < 0 or math.isnan(value) for _, _, value in family["samples"]):
        yield f"{name}: a value below 0"
    if family["type"] == "histogram":
        yield from histogram_problems(name, family["samples"])


def dashboard_problems(path, families):
    known = {name + suffix for name, family in families.items() for suffix in SUFFIXES[family["type"]]}
    dashboard = json.load(open(path, encoding="utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    if not queries:
        yield f"{path}: no queries"
    for query in queries:
        for name in re.findall(r"\b(?:trainyard|process)_[a-z_]+", query):
            if name not in known:
                yield f"{path}: {name} is not in the scrape"
        if "$instance" not in query:
            yield f"{path}: a query for all emulators: {query}"


def main():
    families, problems = read(sys.argv[1])
    for name, family in families.items():
        problems += family_problems(name, family)
    for path in sys.argv[2:]:
        problems += dashboard_problems(path, families)
    print("\n".join(problems) or f"{len(families)} families are fine")
    return bool(problems)


sys.exit(main())

"""Checks the structure of the code: which folders use each other, the number of files in a folder, and the description of each folder.

    architecture.py BUILD_FOLDER    a build folder with compile_commands.json and compiled objects

The tables "Folders" in the README.md of each top folder are the plan. Each folder has a row with its purpose and the folders that it may
use (`sim/cloud/*` is every folder below sim/cloud). The rules:

- An arrow leads from one folder to another if a file includes a header of it, or if an object imports a symbol that it defines. Each arrow
  needs an entry in its row, each entry an arrow, and the arrows form no circle.
- A folder has a row, at most 25 modules (a .c and its .h are one module) and no bag header (parts.h).
- A .c file has a header of its name, or its first line says "Private to".
- The paths and functions that the pages name in backticks exist.
"""
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

TOPS = ("sim", "reports", "real", "trainer", "emu", "tools")
SOURCES = {".c", ".h", ".cu", ".cuh"}
MODULES_MAX = 25


def read_plan():
    """{folder: allowed folder names and patterns} from the tables of the top folders' READMEs."""
    plan, problems = {}, []
    for top in TOPS:
        page = Path(top, "README.md")
        for line in page.read_text().splitlines() if page.exists() else []:
            row = re.match(r"\| `(%s(?:/[a-z_]+)*)` \|([^|]*)\|([^|]*)\|" % top, line)
            if row:
                plan[row[1]] = re.findall(r"`([a-z_/*]+)`", row[3])
                if len(row[2].split()) < 2:
                    problems.append(f"{page}: {row[1]} does not say what belongs there")
    return plan, problems


def source_files():
    return sorted(path for top in TOPS for path in Path(top).rglob("*") if path.suffix in SOURCES)


def include_arrows(files):
    """{(folder, folder): a file with such an include}"""
    arrows = {}
    for path in files:
        for header in re.findall(r'^#\s*include "([^"]+)"', path.read_text(), re.MULTILINE):
            target = str(Path(header).parent)
            if target.split("/")[0] in TOPS and target != str(path.parent):
                arrows.setdefault((str(path.parent), target), f"{path} includes {header}")
    return arrows


def objects_by_file(build):
    """{source: its object} for the project's files; the first object if a source is compiled more than once"""
    root, objects = Path.cwd(), {}
    for entry in json.loads(Path(build, "compile_commands.json").read_text()):
        source = Path(entry["file"])
        if not source.is_relative_to(root) or str(source.relative_to(root)).split("/")[0] not in TOPS:
            continue
        output = entry.get("output") or re.search(r" -o (\S+)", entry["command"])[1]
        path = Path(entry["directory"], output)
        if path.exists():
            objects.setdefault(str(source.relative_to(root)), path)
    return objects


def symbol_arrows(objects):
    definers, imports = defaultdict(set), []
    sources = {str(path): source for source, path in objects.items()}
    # One nm for all objects: starting it takes longer than its work.
    listing = subprocess.run(["nm", "-A", "--extern-only", *sources], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        path, symbol = line.split(":", 1)
        kind, name = symbol.split()[-2:]
        source = sources[path]
        if kind == "U":
            imports.append((source, name))
        elif kind not in "wv":
            definers[name].add(os.path.dirname(source))
    arrows = {}
    for source, name in imports:
        folder, owners = os.path.dirname(source), definers.get(name, set())
        if len(owners) == 1 and folder not in owners:
            arrows.setdefault((folder, next(iter(owners))), f"{source} calls {name}")
    return arrows


def is_allowed(target, entries):
    return any(target == entry or (entry.endswith("/*") and target.startswith(entry[:-1])) for entry in entries)


def circles(arrows):
    """The strongly connected components with more than one folder (Tarjan)."""
    graph = defaultdict(list)
    for source, target in sorted(arrows):
        graph[source].append(target)
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for target in graph[node]:
            if target not in order:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == order[node]:
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def folder_problems(files, plan):
    problems, modules = [], defaultdict(set)
    for path in files:
        modules[str(path.parent)].add(path.stem)
        if re.fullmatch(r"(.*_)?parts\.h", path.name):
            problems.append(f"{path}: is a bag header")
        if path.suffix == ".c" and not path.with_suffix(".h").exists() and path.stem != "main" and not path.stem.startswith("verb_"):
            with open(path) as file:
                if "Private to" not in file.readline():
                    problems.append(f"{path}: has no header and does not say that it is private to its folder")
    for folder, names in sorted(modules.items()):
        if len(names) > MODULES_MAX:
            problems.append(f"{folder}: holds {len(names)} modules, more than {MODULES_MAX}")
        if folder not in plan:
            problems.append(f"{folder}: has no row in {folder.split('/')[0]}/README.md")
    problems += [f"{folder}: has a row but no files" for folder in sorted(set(plan) - set(modules))]
    return problems


def arrow_problems(arrows, plan):
    problems = []
    for (source, target), witness in sorted(arrows.items()):
        if source in plan and not is_allowed(target, plan[source]):
            problems.append(f"{source} -> {target}: is not in the row of {source} ({witness})")
    for source, entries in sorted(plan.items()):
        for entry in entries:
            if not any(start == source and is_allowed(target, [entry]) for start, target in arrows):
                problems.append(f"{source} -> {entry}: is in the row of {source} but not in the code")
    return problems


def document_problems(files):
    """Paths and functions in backticks of these pages that do not exist."""
    problems, words = [], set()
    for path in files:
        words |= set(re.findall(r"\w+", path.read_text()))
    for page in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "STATUS.md", *(f"{top}/README.md" for top in TOPS)):
        text = Path(page).read_text() if Path(page).exists() else ""
        for name in sorted(set(re.findall(r"`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\(\))?`", text))):
            if name not in words:
                problems.append(f"{page}: `{name}` is not a name in the code")
        for name in sorted(set(re.findall(r"`((?:%s|tests|scenarios)/[\w./-]*)`" % "|".join(TOPS), text))):
            if "NAME" not in name and "HOST" not in name and not Path(name).exists():
                problems.append(f"{page}: `{name}` does not exist")
    return problems


def main():
    plan, problems = read_plan()
    files = source_files()
    arrows = include_arrows(files)
    objects = objects_by_file(sys.argv[1])
    if not objects:
        sys.exit(f"architecture: {sys.argv[1]} has no compiled objects")
    arrows = {**symbol_arrows(objects), **arrows}
    problems += folder_problems(files, plan) + arrow_problems(arrows, plan)
    problems += document_problems(files)
    problems += [f"circle of folders: {' '.join(circle)}" for circle in circles(arrows)]
    if problems:
        sys.exit("\n".join(problems))
    folders = {str(path.parent) for path in files}
    print(f"{len(files)} files in {len(folders)} folders, {len(objects)} of them compiled: {len(arrows)} arrows, as planned")


if __name__ == "__main__":
    main()

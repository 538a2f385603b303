#!/usr/bin/env python3
"""Writes the results of tools/gpu_check.sh as one JSON and as a table.

    gpu_report.py FOLDER ORIGIN BUILD PROGRAM   writes FOLDER/gpu_check.json, and prints the table
    gpu_report.py --table FILE                  prints the table of an existing JSON
    gpu_report.py --page FILE                   prints a Markdown page of an existing JSON, for reports/measured
    gpu_report.py --metrics                     prints the metrics of NVIDIA's profiler that are reported

FOLDER contains steps.tsv and figures/. ORIGIN describes where the programs come from. BUILD is the folder of their build if there is
one. PROGRAM is the main program, next to trainyard-train, or "". Figures that were not measured are left out of the JSON.
"""
import csv
import glob
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

IMAGE_BYTES = 3 * 32 * 32


def output_of(*command):
    """The output of a command; None if it cannot be run or fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def without_unknown(facts):
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}


# --- The machine ---

def gpus():
    names = ("name", "memory.total", "driver_version", "compute_cap", "clocks.max.sm", "power.limit")
    rows = output_of("nvidia-smi", "--query-gpu=" + ",".join(names), "--format=csv,noheader") or ""
    keys = ("name", "memory", "driver", "compute_capability", "clock_max", "power_limit")
    return [dict(zip(keys, (cell.strip() for cell in row.split(",")))) for row in rows.splitlines()]


def cached(build, name):
    """A value in CMake's cache."""
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", text_of(os.path.join(build, "CMakeCache.txt")), re.M)
    return found.group(1) if found and not found.group(1).endswith("NOTFOUND") else None


def loaded_libraries(program):
    """The paths of the libraries that the dynamic linker finds for a program here, by name."""
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", program) or "", re.M))


# Prints the number that a library states. A library that lacks another one may end its process.
ASK_VERSION = """
import ctypes, sys
library, number = ctypes.CDLL(sys.argv[1]), ctypes.c_int()
if sys.argv[2] == "ncclGetVersion":
    library.ncclGetVersion(ctypes.byref(number))
else:
    number.value = getattr(library, sys.argv[2])()
print(number.value)
"""


def loaded_version(libraries, stem, function):
    """The version of the library STEM.so.N among those that a program loads; None if it loads none."""
    path = next((path for name, path in libraries.items() if name.startswith(stem + ".so")), None)
    answer = output_of(sys.executable, "-c", ASK_VERSION, path, function) if path else None
    if not answer or not answer.isdigit():
        return None
    number = int(answer)
    major = 10000 if number >= 10000 else 1000  # 91900 is 9.19.0; before cuDNN 9 and NCCL 2.9, 8907 is 8.9.7
    return f"{number // major}.{number % major // 100}.{number % 100}"


def toolkit(build):
    nvcc = cached(build, "CMAKE_CUDA_COMPILER") or "nvcc"
    found = re.search(r"release [\d.]+, V([\d.]+)", output_of(nvcc, "--version") or "")
    return found.group(1) if found else None


def torch_versions():
    answer = output_of(sys.executable, "-c", "import json, torch; nccl = torch.cuda.nccl.version() if torch.cuda.is_available() else None; "
                       "print(json.dumps({'version': torch.__version__, 'cuda': torch.version.cuda, "
                       "'cudnn': torch.backends.cudnn.version(), 'nccl': nccl and '.'.join(map(str, nccl))}))")
    return without_unknown(json.loads(answer)) if answer else None


def machine(folder, build, program):
    """The facts about the machine. They take seconds to find, and are kept for the reports of later steps."""
    kept = os.path.join(folder, "figures", "machine.json")
    facts = whole_json(text_of(kept)) or machine_facts(build, program)
    with open(kept, "w", encoding="utf-8") as file:
        json.dump(facts, file)
    return facts


def machine_facts(build, program):
    libraries = loaded_libraries(os.path.join(os.path.dirname(program), "trainyard-train")) if program else {}
    return without_unknown({
        "gpus": gpus(),
        "toolkit": toolkit(build),
        "cudnn": loaded_version(libraries, "libcudnn", "cudnnGetVersion"),
        "nccl": loaded_version(libraries, "libnccl", "ncclGetVersion"),
        "torch": torch_versions(),
        "system": platform.platform(),
        "libc": "-".join(platform.libc_ver()),
        "cores": os.cpu_count(),
    })


# --- Figures ---

def steps_of(folder):
    names = ("name", "state", "seconds", "limit_s", "notes")
    rows = [dict(zip(names, line.split("\t"))) for line in text_of(os.path.join(folder, "steps.tsv")).splitlines()]
    return [{**row, "seconds": int(row["seconds"]), "limit_s": int(row["limit_s"])} for row in rows]


def figures(folder, pattern):
    """Yields (the middle of the name, the text) of each file."""
    for path in sorted(glob.glob(os.path.join(folder, "figures", pattern))):
        yield os.path.basename(path).split(".", 1)[1].rsplit(".", 1)[0], text_of(path)


def whole_json(text):
    try:
        return json.loads(text)
    except ValueError:  # the step was ended while it wrote
        return None


def learning_of(text):
    rows = [line.split("\t") for line in text.splitlines() if line and line[0].isdigit()]
    return [{"epoch": int(row[0]), "val_accuracy": float(row[4])} for row in rows]


def form_of(answer):
    return ("graph " if answer["graph"] else "") + answer["layout"]


def peer_forms(rounds):
    """Medians of PyTorch's step in each form, and of its ratio to trainyard's step just before."""
    forms = {}
    ours_us = None
    for answer in rounds:
        if "peer" not in answer:
            ours_us = 1e3 * answer["step_ms"]["median"]
        elif ours_us and answer["peer"] == "torch" and "error" not in answer:
            us = 1e3 * answer["step_ms"]["median"]
            forms.setdefault(form_of(answer), []).append((us, us / ours_us))
    return {form: {"step_us": round(statistics.median(us for us, _ in both), 2),
                   "ratio": round(statistics.median(ratio for _, ratio in both), 3)} for form, both in forms.items()}


def speed_row(precision, batch, rounds, limits):
    ours = [answer for answer in rounds if "peer" not in answer]
    if not ours:
        return None
    step_us = statistics.median(1e3 * answer["step_ms"]["median"] for answer in ours)
    row = {
        "precision": precision, "batch_size": batch, "step_us": round(step_us, 2), "images_per_s": round(batch / step_us * 1e6, 1),
        "rounds": len(ours), "kernels_per_step": ours[-1].get("kernels_per_step"),
        "tflops": round(1e3 * ours[-1]["gflop_per_step"] / step_us, 3),
    }
    own = [1e3 * answer["step_ms"]["median"] for answer in rounds if answer.get("peer") == "own"]
    if own:
        row["own_step_us"] = round(statistics.median(own), 2)
    row["engines"] = ours[-1].get("engines")
    rate = limits.get("product_tflops", {}).get(precision)
    if rate:
        row["product_share_percent"] = round(100 * row["tflops"] / rate, 2)
    if row["kernels_per_step"] and limits.get("kernel_us"):
        row["launch_share_percent"] = round(100 * row["kernels_per_step"] * limits["kernel_us"] / step_us, 2)
    row["torch"] = peer_forms(rounds)
    row["torch_error"] = next((answer["error"] for answer in rounds if "error" in answer), None)
    if row["torch"]:
        row["torch_best"] = min(row["torch"], key=lambda form: row["torch"][form]["ratio"])
        row["ratio"] = row["torch"][row["torch_best"]]["ratio"]
    return without_unknown(row)


def speed(folder, limits):
    rows = []
    for name, text in figures(folder, "speed.*.jsonl"):
        precision, batch = name.split(".")
        rounds = [answer for answer in map(whole_json, text.splitlines()) if answer]
        rows.append(speed_row(precision, int(batch), rounds, limits))
    order = ("fp32", "tf32", "bf16")
    return sorted(filter(None, rows), key=lambda row: (order.index(row["precision"]), row["batch_size"]))


# Member of a kernel | metric of the profiler.
PROFILED = {
    "us": "gpu__time_duration.sum",
    "warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm_percent": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "registers": "launch__registers_per_thread",
    "read_bytes": "dram__bytes_read.sum",
    "written_bytes": "dram__bytes_write.sum",
    "shared_percent": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "instructions_per_cycle": "sm__inst_executed.avg.per_cycle_active",
}
# Reasons for which a warp does not issue an instruction | how many warps wait for it when one issues.
STALLS = {name: f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio" for name in (
    "long_scoreboard", "short_scoreboard", "barrier", "wait", "math_pipe_throttle", "mio_throttle", "lg_throttle", "no_instruction",
    "dispatch_stall", "not_selected")}


def kernel_name(name):
    """"void <unnamed>::multiply<<unnamed>::Kind<0, 0, 1, 32>>(…)" without its scopes, parameters and type."""
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::|^void ", "", name)
    return re.sub(r"\(.*", "", name)


def profiled_values(row, column, metrics):
    return {name: float(row[column[metric]].replace(",", "") or 0) for name, metric in metrics.items() if metric in column}


def kernels_of(text):
    """The kernels of the last step that the profiler has seen from its begin to its end, in order; times are in microseconds."""
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    if len(rows) < 3:
        return []
    column = {name: i for i, name in enumerate(rows[0])}
    in_us = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1}[rows[1][column[PROFILED["us"]]]]
    steps = []
    for row in rows[2:]:
        values = profiled_values(row, column, PROFILED)
        values["us"] = round(values["us"] * in_us, 3)
        stalls = profiled_values(row, column, STALLS)
        if stalls:
            values["stall"] = max(stalls, key=stalls.get)
        kernel = {"kernel": kernel_name(row[column["Kernel Name"]]), "blocks": row[column["Grid Size"]], "threads": row[column["Block Size"]], **values}
        if kernel["kernel"].startswith("input_kernel"):
            steps.append([])
        if steps:
            steps[-1].append(kernel)
    # A step may have several updates; it ends with the last one.
    for step in reversed(steps):
        updates = [i for i, kernel in enumerate(step) if kernel["kernel"].startswith("update_kernel")]
        if updates:
            return step[: updates[-1] + 1]
    return []


def pauses(text):
    """How long evaluations and checkpoints held up the steps of a training, from the timeline of its profiled steps."""
    spans = [line.split("\t") for line in text.splitlines() if line.count("\t") == 5 and not line.startswith("phase")]
    spans = [(phase, int(step), (int(end) - int(begin)) / 1e3, int(size)) for phase, step, begin, end, size, _ in spans]
    held = [us for phase, _, us, _ in spans if phase == "checkpoint"]
    first = min((step for phase, step, _, _ in spans if phase == "checkpoint"), default=None)
    steps = [(step, us) for phase, step, us, _ in spans if phase == "whole"]
    before = [us for step, us in steps if first is None or step <= first]
    after = [us for step, us in steps if first is not None and step > first]
    tests = [(size / IMAGE_BYTES, us) for phase, _, us, size in spans if phase == "evaluate"]
    if not before or not after or not tests:
        return None
    images, us = tests[-1]  # its graphs exist
    return {"step_us": round(statistics.median(before), 2), "step_after_checkpoint_us": round(statistics.median(after), 2),
            "checkpoint_held_us": round(statistics.median(held), 2), "evaluated_images_per_s": round(1e6 * images / us, 1)}


def comparison(answer):
    """The judged quantities of the compared training: predicted, measured, and the error in percent."""
    if not answer:
        return None
    return {row["quantity"]: {name: row[name] for name in ("unit", "predicted", "measured", "error_pct")}
            for row in answer["jobs"][0]["quantities"] if "is_inside" in row}


def collected(folder, origin, build, program):
    limits = whole_json(text_of(os.path.join(folder, "figures", "limits.json"))) or {}
    return without_unknown({
        "trainyard": output_of(program, "--version") if program else None,
        "commit": output_of("git", "describe", "--always", "--dirty"),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "programs": origin,
        "machine": machine(folder, build, program),
        "steps": steps_of(folder),
        "limits": limits,
        "speed": speed(folder, limits),
        "pauses": pauses(text_of(os.path.join(folder, "figures", "timeline.tsv"))),
        "calibration": (whole_json(text_of(os.path.join(folder, "figures", "calibration.json"))) or {}).get("judged"),
        "comparison": comparison(whole_json(text_of(os.path.join(folder, "figures", "compare.json")))),
        "learning": {name: learning_of(text) for name, text in figures(folder, "learning.*.tsv")},
        "kernels": without_unknown({name: kernels_of(text) for name, text in figures(folder, "kernels.*.csv")}),
        "allreduce": {name: whole_json(text) for name, text in figures(folder, "allreduce.*.json")},
    })


# --- The table ---

def table(rows):
    """Lines of a table. Columns have the width of their longest cell; columns of numbers are right-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    is_text = [not any(re.match(r"[\d.]+$", row[i]) for row in rows[1:]) for i in range(len(widths))]
    for row in rows:
        yield "  ".join(cell.ljust(width) if left else cell.rjust(width) for cell, width, left in zip(row, widths, is_text)).rstrip()


def cell(value, digits=0):
    return "-" if value is None else value if isinstance(value, str) else f"{value:.{digits}f}"


def machine_lines(run):
    facts = run["machine"]
    for gpu in facts.get("gpus", []):
        yield "GPU       " + ", ".join([gpu["name"], gpu["memory"], f"sm_{gpu['compute_capability'].replace('.', '')}", "driver " + gpu["driver"]])
    torch = facts.get("torch", {})
    versions = [("CUDA", facts.get("toolkit")), ("cuDNN", facts.get("cudnn")), ("NCCL", facts.get("nccl")), ("PyTorch", torch.get("version"))]
    yield "With      " + ", ".join(f"{name} {version}" if version else f"no {name}" for name, version in versions)
    yield f"Programs  {run['programs']}"


def speed_lines(run):
    rows = [["precision", "batch", "us/step", "own us", "images/s", "kernels", "products %", "launches %", "PyTorch us", "its form", "times as fast"]]
    for row in run["speed"]:
        best = row.get("torch", {}).get(row.get("torch_best"), {})
        rows.append([row["precision"], cell(row["batch_size"]), cell(row["step_us"], 1), cell(row.get("own_step_us"), 1),
                     cell(row["images_per_s"]), cell(row.get("kernels_per_step")), cell(row.get("product_share_percent"), 1),
                     cell(row.get("launch_share_percent"), 1), cell(best.get("step_us"), 1), cell(row.get("torch_best")),
                     cell(row.get("ratio"), 2)])
    yield from table(rows)
    yield "own us: with our own kernels alone; products %: of the rate of large matrix products; launches %: the time of as many empty kernels in a row"


def judged_lines(run):
    """What else a GPU has to judge: each line compares two measurements, or states one."""
    if run.get("pauses"):
        yield ("a step takes {step_us:.1f} us, after a checkpoint has begun {step_after_checkpoint_us:.1f} us; a checkpoint holds up steps for "
               "{checkpoint_held_us:.0f} us; evaluations make {evaluated_images_per_s:.0f} images/s").format(**run["pauses"])
    if run.get("calibration"):
        yield ("predicted steps are off by {mean_error_pct:.1f} % in the mean and {worst_error_pct:.1f} % at the worst, in {cells} cells"
               ).format(**run["calibration"])
    if run.get("comparison"):
        yield "a whole training, predicted / measured: " + ", ".join(
            f"{name} {row['predicted']:.4g} / {row['measured']:.4g} {row['unit']} ({row['error_pct']:+.1f} %)"
            for name, row in run["comparison"].items())


def report(run):
    yield from machine_lines(run)
    yield ""
    yield from table([["step", "state", "s", "notes"]] +
                     [[step["name"], step["state"], cell(step["seconds"]), step["notes"]] for step in run["steps"]])
    if run.get("speed"):
        yield ""
        yield from speed_lines(run)
    judged = list(judged_lines(run))
    if judged:
        yield ""
        yield from judged
    for precision, epochs in run.get("learning", {}).items():
        accuracies = ", ".join(f"{row['epoch']}: {row['val_accuracy']:.3f}" for row in epochs)
        yield f"\nvalidation accuracy by epoch, {precision}: {accuracies}"
    failed = [step["name"] for step in run["steps"] if step["state"] == "failed"]
    counts = {state: sum(step["state"] == state for step in run["steps"]) for state in ("passed", "failed", "skipped")}
    yield ""
    yield f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped" + (": " + ", ".join(failed) if failed else "")


# --- The page ---

PASSES = ("forward", "data", "weights")


def tried_cell(engines, name):
    """The engine of a pass, with its time and those of the others: "cudnn 8.2 (own 8.3)"."""
    if name not in engines:
        return "-"
    times = engines.get("tried_us", {}).get(name, {})
    chosen = engines[name]
    others = ", ".join(f"{other} {us:.1f}" for other, us in times.items() if other != chosen)
    return (f"{chosen} {times[chosen]:.1f}" if chosen in times else chosen) + (f" ({others})" if others else "")


def markdown(rows):
    yield "| " + " | ".join(rows[0]) + " |"
    yield "|" + " --- |" * len(rows[0])
    for row in rows[1:]:
        yield "| " + " | ".join(row) + " |"


# Heading | cell. A column that no kernel has is left out: earlier versions profiled fewer metrics.
KERNEL_COLUMNS = {
    "kernel": lambda kernel: f"`{kernel['kernel']}`",
    "blocks": lambda kernel: kernel["blocks"],
    "threads": lambda kernel: kernel["threads"],
    "us": lambda kernel: cell(kernel["us"], 1),
    "warps %": lambda kernel: cell(kernel.get("warps_percent")),
    "processors %": lambda kernel: cell(kernel.get("sm_percent")),
    "shared memory %": lambda kernel: cell(kernel.get("shared_percent")),
    "instructions a cycle": lambda kernel: cell(kernel.get("instructions_per_cycle"), 2),
    "stall": lambda kernel: cell(kernel.get("stall")).replace("_", " "),
    "registers": lambda kernel: cell(kernel.get("registers")),
    "MB read": lambda kernel: cell(kernel["read_bytes"] / 1e6 if "read_bytes" in kernel else None, 2),
}


def kernel_section(precision, kernels, commit):
    total_us = sum(kernel["us"] for kernel in kernels)
    yield f"## Kernels of a step, {precision}"
    yield ""
    yield f"Batches of 32, our own kernels, one after the other, by NVIDIA's profiler (commit {commit}): {len(kernels)} kernels, {total_us:.0f} us in all."
    yield ""
    columns = {heading: [text_of_cell(kernel) for kernel in kernels] for heading, text_of_cell in KERNEL_COLUMNS.items()}
    columns = {heading: cells for heading, cells in columns.items() if set(cells) != {"-"}}
    yield from markdown([list(columns)] + [list(row) for row in zip(*columns.values())])
    if "stall" in columns:
        yield ""
        yield "Shared memory: its loads and stores, of the most that are possible (those of global memory count, too); instructions: of a"
        yield "processor, in cycles in which it is active; stall: what most warps wait for."
    yield ""


def page(run, source):
    yield f"# {run['machine']['gpus'][0]['name']}"
    yield ""
    yield f"`tools/gpu_check.sh`, commit {run['commit']}, {run['time'][:10]}. `tools/gpu_report.py --page {os.path.basename(source)}` makes this page"
    yield f"from [{os.path.basename(source)}]({os.path.basename(source)}); do not edit it."
    yield ""
    yield "```"
    yield from machine_lines(run)
    yield "```"
    yield ""
    yield "## Checks"
    yield ""
    yield from markdown([["step", "state", "seconds", "notes"]] +
                        [[step["name"], step["state"], cell(step["seconds"]), step["notes"] or "-"] for step in run["steps"]])
    yield ""
    yield "## Speed"
    yield ""
    yield "A step is everything from picking the images of a batch to the updated weights. PyTorch does the same as one CUDA graph"
    yield "(`tests/bench/peers/torch_cifar.py`), in the layout that is the faster one; runs alternate."
    yield ""
    yield "```"
    yield from speed_lines(run)
    yield "```"
    judged = list(judged_lines(run))
    if judged:
        yield ""
        yield from judged
    if run.get("limits"):
        products = ", ".join(f"{precision} {rate:.0f}" for precision, rate in run["limits"]["product_tflops"].items())
        yield ""
        yield f"Products of large matrices through PyTorch: {products} TFLOP/s; a copy: {run['limits']['copy_gb_per_s']:.0f} GB/s, read and written;"
        yield f"an empty kernel of a graph: {run['limits']['kernel_us']:.2f} us."
    yield ""
    yield "## Engines"
    yield ""
    yield "The fastest engine of each pass in microseconds, and the others that were tried."
    for row in run["speed"]:
        yield ""
        yield f"{row['precision']}, batches of {row['batch_size']}:"
        yield ""
        yield from markdown([["layer"] + list(PASSES)] +
                            [[layer] + [tried_cell(engines, name) for name in PASSES] for layer, engines in row["engines"].items()])
    yield ""
    measured_at = run.get("kernels", {}).get("commit", run["commit"])
    for precision, kernels in run.get("kernels", {}).items():
        if isinstance(kernels, list):
            yield from kernel_section(precision, kernels, measured_at)
    yield "## Learning"
    yield ""
    yield "Validation accuracy on the synthetic set after each epoch (`tools/learning_curve.sh`)."
    yield ""
    learning = run.get("learning", {})
    epochs = max((len(rows) for rows in learning.values()), default=0)
    yield from markdown([["epoch"] + list(learning)] +
                        [[str(i + 1)] + [f"{rows[i]['val_accuracy']:.4f}" for rows in learning.values()] for i in range(epochs)])


FORMS = {"--table": lambda run, source: report(run), "--page": page}


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__, end="")
        return
    if sys.argv[1:] == ["--metrics"]:
        print(",".join(list(PROFILED.values()) + list(STALLS.values())))
        return
    if len(sys.argv) == 3 and sys.argv[1] in FORMS:
        try:
            run = json.loads(text_of(sys.argv[2]))
            print("\n".join(FORMS[sys.argv[1]](run, sys.argv[2])))
        except (ValueError, KeyError, TypeError) as error:
            sys.exit(f"gpu_report: {sys.argv[2]} is not a gpu_check.json: {error!r}")
        return
    if len(sys.argv) != 5:
        sys.stderr.write(__doc__)
        sys.exit(2)
    folder = sys.argv[1]
    run = collected(*sys.argv[1:5])
    path = os.path.join(folder, "gpu_check.json")
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        json.dump(run, file, indent=2)
        file.write("\n")
    os.replace(path + ".tmp", path)
    print("\n".join(report(run)))
    print(f"\nall figures: {path}")


if __name__ == "__main__":
    main()

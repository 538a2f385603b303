#!/usr/bin/env python3
"""Fits the constants of transformer_software to measured trainings, and prints scenarios/catalog/transformer_software.json.

The model is that of the program: `trainyard predict --measured` computes the steps, so there is no second copy of it. The fit is by
Gauss and Newton in the logarithms of constants and steps. Each source has the same weight, whatever the number of its rows. First the
software "any" is fitted to the rows of all sources, then each software to its own rows. Where its rows say little, a constant stays
near that of "any": its prior is that value, with the standard deviation `PRIOR`. Constants that no row of one node can
show are stated, not fitted (FIXED).

A constant's stated error is the standard error of its logarithm; its range is that of the rows. The "error" of a software is that of rows
that were left out of the fit: each model and GPU is predicted by constants that were fitted without its rows, and for "any" each source.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = os.path.join(HERE, "scenarios/catalog/transformer_rows.csv")
CATALOG = os.path.join(HERE, "scenarios/catalog/transformer_software.json")

# Name, first value, least, most, and how the file writes it.
RATIO, COUNT, MICROSECONDS, MILLISECONDS, GIGABYTES = "ratio", "count", "us", "ms", "GB"
FITTED = [
    ("matmul", 0.8, 0.2, 1.2, RATIO), ("fp8_matmul", 0.8, 0.2, 1.0, RATIO), ("matmul_half", 100, 5, 600, COUNT),
    ("attention", 0.7, 0.2, 2.0, RATIO), ("elements", 2, 0.3, 8, RATIO), ("layer_launch", 200, 20, 2000, MICROSECONDS),
    ("overlap_loss", 0.2, 0.02, 0.9, RATIO), ("tensor_exposed", 1, 0.3, 3, RATIO), ("step_overhead", 10, 1, 300, MILLISECONDS),
]
NAMES = [name for name, *_ in FITTED]
MEMORY = [("memory_base", 3, 0.5, 12, GIGABYTES), ("memory", 1.1, 0.9, 2, RATIO)]
PRIOR = 0.35
# The prior of "any" is wide: the first values above are rough.
PRIOR_ANY = 1.0
SOFTWARE = ["any", "megatron-core", "megatron-lm", "llm-foundry", "torchtitan", "nanotron", "internevo"]
# What source code and documents say of each software; the first is that of all others.
FIXED = {
    "any": {"overlaps_gradients": True, "bucket": "160MB", "gradient": "4B", "optimizer": "28B", "selective": "0%", "flash": True},
    "megatron-lm": {"flash": False, "overlaps_gradients": False, "gradient": "2B"},
    "llm-foundry": {"gradient": "2B"},
    "torchtitan": {"selective": "50%"},
}
NOTES = {
    "overlaps_gradients": "documentation of the software", "bucket": "Megatron-LM: 40 million parameters of 4 bytes",
    "gradient": "documentation of the software: fp32 or bf16 sums of gradients", "optimizer": "Adam reads and writes fp32 weights and two "
    "moments (24 B), reads a gradient and writes a weight", "selective": "selective recomputation repeats the scores of "
    "attention, and this share of a layer: torchtitan recomputes every other layer", "flash": "of the releases that were measured",
}
SOURCES = {
    "rows": {"title": "scenarios/catalog/transformer_rows.csv: published trainings on one node; fitted by tools/transformer_fit.py",
             "date": "2022 to 2026"},
    "documents": {"title": "source code and documentation of Megatron-LM, NeMo, PyTorch FSDP, torchtitan, nanotron", "date": "2022 to 2025"},
}


def written(value, kind):
    if kind == RATIO:
        return f"{100 * value:.2f}%"
    if kind == COUNT:
        return max(1, round(value))
    if kind == MICROSECONDS:
        return f"{value:.1f}us"
    if kind == MILLISECONDS:
        return f"{value:.3f}ms"
    return f"{value:.3f}GB"


def entry(values, software, error="10%", memory_error="15%"):
    """An entry of transformer_software without sources: member to text."""
    members = {name: written(values[name], kind) for name, _, _, _, kind in FITTED + MEMORY}
    members.update(FIXED["any"])
    members.update(FIXED.get(software, {}))
    members.update(error=error, memory_error=memory_error)
    return members


class Program:
    """Steps of the model with given constants."""

    def __init__(self, trainyard, rows):
        self.trainyard = trainyard
        self.folder = tempfile.TemporaryDirectory()
        self.rows = os.path.join(self.folder.name, "rows.csv")
        self.catalog = os.path.join(self.folder.name, "catalog.json")
        with open(self.rows, "w", encoding="utf-8") as file:
            file.write("".join(rows))

    def trainings(self, constants):
        """The rows, predicted with `constants` for each software."""
        entries = {software: {member: {"value": value, "source": "fit"} for member, value in entry(values, software).items()}
                   for software, values in constants.items()}
        with open(self.catalog, "w", encoding="utf-8") as file:
            json.dump({"catalog": 1, "sources": {"fit": {"title": "fit", "date": "now"}}, "transformer_software": entries}, file)
        answer = subprocess.run([self.trainyard, "predict", "--measured", self.rows, "--catalog", self.catalog, "--json"],
                                check=True, capture_output=True, text=True)
        return json.loads(answer.stdout)["trainings"]


def solve(matrix, right):
    """Gaussian elimination with pivots."""
    size = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(size)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(size):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def inverse_diagonal(matrix):
    size = len(matrix)
    return [solve(matrix, [float(i == j) for i in range(size)])[j] for j in range(size)]


def weights_of(sources):
    """Each source alike: the weights of its rows add up to WEIGHT, or to its rows if they are fewer."""
    counts = {source: sources.count(source) for source in set(sources)}
    return [min(1, WEIGHT / counts[source]) for source in sources]


WEIGHT = 20
HUBER = 0.25  # residuals beyond this have less weight, as shapes and runs that no smooth model can follow
STEPS = 12


def fit(residuals_at, sources, start, parameters, prior, around):
    """Values and standard errors that minimise the weighted squares of residuals and the prior's."""
    names = [name for name, *_ in parameters]
    logs = {name: math.log(start[name]) for name in names}
    limits = {name: (math.log(least), math.log(most)) for name, _, least, most, _ in parameters}

    def values():
        return {**start, **{name: math.exp(logs[name]) for name in names}}

    base_weights = weights_of(sources)
    damping = 0.01

    def cost(residuals):
        total = sum(w * (r * r if abs(r) < HUBER else 2 * HUBER * abs(r) - HUBER * HUBER) for w, r in zip(base_weights, residuals))
        return total / SIGMA ** 2 + sum(((logs[n] - math.log(around[n])) / prior) ** 2 for n in names)

    residuals = residuals_at(values())
    best = cost(residuals)
    for _ in range(STEPS):
        weights = [w * min(1, HUBER / max(abs(r), 1e-9)) / SIGMA ** 2 for w, r in zip(base_weights, residuals)]
        slopes = []
        for name in names:
            kept = logs[name]
            logs[name] = kept + 0.05
            slopes.append([(a - b) / 0.05 for a, b in zip(residuals_at(values()), residuals)])
            logs[name] = kept
        normal = [[sum(w * a * b for w, a, b in zip(weights, slopes[i], slopes[j])) + (1 / prior ** 2 if i == j else 0)
                   for j in range(len(names))] for i in range(len(names))]
        right = [-sum(w * a * r for w, a, r in zip(weights, slopes[i], residuals)) - (logs[n] - math.log(around[n])) / prior ** 2
                 for i, n in enumerate(names)]
        improved = False
        while damping < 1e4 and not improved:
            damped = [[normal[i][j] * (1 + damping if i == j else 1) for j in range(len(names))] for i in range(len(names))]
            step = solve(damped, right)
            before = dict(logs)
            for name, change in zip(names, step):
                logs[name] = min(max(logs[name] + max(-0.7, min(0.7, change)), limits[name][0]), limits[name][1])
            tried = residuals_at(values())
            trial = cost(tried)
            improved = trial < best
            if improved:
                gain, best, residuals, damping = best - trial, trial, tried, damping / 5
            else:
                logs, damping = before, damping * 5
        if not improved or gain < 1e-4 * best:
            break
    errors = [math.sqrt(max(0, e)) for e in inverse_diagonal(normal)]
    return values(), dict(zip(names, errors))


SIGMA = 0.1  # of a row, in the logarithm: weighs rows against the prior


def step_residual(training):
    return math.log(training["predicted_s"] / training["measured_s"])


def fit_software(trainyard, lines, software, start, prior, around):
    """Fits the step's constants of one software to the rows `lines`, all taken as of this software."""
    rows = [lines[0]] + [rename(line, software) for line in lines[1:]]
    program = Program(trainyard, rows)
    sources = [line.split(",")[0] for line in lines[1:]]

    def residuals_at(values):
        return [step_residual(t) for t in program.trainings({software: values})]

    return fit(residuals_at, sources, start, FITTED, prior, around)


def rename(line, software):
    """The row as of another software; attention and recomputation without flash stay in the layout."""
    cells = line.split(",")
    own = cells[1]
    cells[1] = software
    if own != software and FIXED.get(own, {}).get("flash", True) != FIXED.get(software, {}).get("flash", True):
        quote = line.index('"')
        cells = line[:quote].split(",")
        cells[1] = software
        return ",".join(cells) + '"no-flash,' + line[quote + 1:]
    return ",".join(cells)


def fit_memory(trainyard, lines, software, values, around, prior):
    """Fits what the software adds to the memory in use."""
    known = [line for line in lines[1:] if line.rstrip("\n").split(",")[-1]]
    if not known:
        return {**values, **{name: around[name] for name, *_ in MEMORY}}, {}
    program = Program(trainyard, [lines[0]] + [rename(line, software) for line in known])
    sources = [line.split(",")[0] for line in known]

    def residuals_at(trial):
        return [math.log(t["memory_predicted_gb"] / t["memory_measured_gb"]) for t in program.trainings({software: trial})]

    return fit(residuals_at, sources, {**around, **values}, MEMORY, prior, around)


def first_values():
    return {name: value for name, value, *_ in FITTED + MEMORY}


def fit_any(trainyard, lines):
    start = first_values()
    values, errors = fit_software(trainyard, lines, "any", start, PRIOR_ANY, start)
    values, more = fit_memory(trainyard, lines, "any", {n: values[n] for n in NAMES}, start, PRIOR_ANY)
    return values, {**errors, **more}


def quantile(values, weights, share):
    """The smallest value that has at least this share of the weight at or below it."""
    total, reached = sum(weights), 0
    for value, weight in sorted(zip(values, weights)):
        reached += weight
        if reached >= share * total:
            return value
    return max(values)


def stated_error(residuals, weights):
    """Half of the error that 95 % of the residuals do not exceed: the program states twice the error, as a factor of 1 + 2 error."""
    return (math.exp(quantile([abs(r) for r in residuals], weights, 0.95)) - 1) / 2


def read_lines():
    with open(ROWS, encoding="utf-8") as file:
        return file.readlines()


def cells_of(line):
    """The cells of a row; the layout, which has commas, is one."""
    before, layout, after = line.rstrip("\n").split('"')
    return before.split(",")[:-1] + [layout] + after.split(",")[1:]


def software_lines(lines, software):
    return [lines[0]] + [line for line in lines[1:] if line.split(",")[1] == software]


def residuals_of(trainyard, header, lines, software, values):
    trainings = Program(trainyard, [header] + [rename(line, software) for line in lines]).trainings({software: values})
    return [step_residual(training) for training in trainings]


def left_out_sources(trainyard, lines):
    """Residuals of each source, predicted as of any software by a fit without it."""
    residuals = {}
    for source in sorted({line.split(",")[0] for line in lines[1:]}):
        values, _ = fit_any(trainyard, [line for line in lines if line.split(",")[0] != source])
        own = [line for line in lines[1:] if line.split(",")[0] == source]
        residuals[source] = residuals_of(trainyard, lines[0], own, "any", values)
    return residuals


def left_out_models(trainyard, lines, software, any_values):
    """Residuals of a software's rows, each predicted by a fit without its model and GPU."""
    own = software_lines(lines, software)
    residuals = []
    for group in sorted({(cells_of(line)[2], cells_of(line)[7]) for line in own[1:]}):
        def is_out(line, group=group):
            return (cells_of(line)[2], cells_of(line)[7]) == group
        kept = [own[0]] + [line for line in own[1:] if not is_out(line)]
        values = any_values
        if len(kept) > 1:
            values, _ = fit_software(trainyard, kept, software, any_values, PRIOR, any_values)
        residuals += residuals_of(trainyard, own[0], [line for line in own[1:] if is_out(line)], software, values)
    return residuals


def range_of(lines):
    """In words: what was measured."""
    cells = [cells_of(line) for line in lines]
    gpus = sorted({cell[2] for cell in cells})
    hidden = [int(cell[9]) for cell in cells]
    sequences = [int(cell[15]) for cell in cells]
    return (f"{len(cells)} rows on one node of {', '.join(gpus)}; hidden {min(hidden)} to {max(hidden)}, "
            f"sequences of {min(sequences)} to {max(sequences)}")


def fit_all(trainyard):
    """Constants and standard errors by software, and the residuals of rows that were left out."""
    lines = read_lines()
    any_values, any_errors = fit_any(trainyard, lines)
    constants, errors = {"any": any_values}, {"any": any_errors}
    left_out = {"any": left_out_sources(trainyard, lines)}
    for software in SOFTWARE[1:]:
        own = software_lines(lines, software)
        values, error = fit_software(trainyard, own, software, any_values, PRIOR, any_values)
        values, more = fit_memory(trainyard, own, software, {n: values[n] for n in NAMES}, any_values, PRIOR)
        constants[software], errors[software] = values, {**error, **more}
        left_out[software] = left_out_models(trainyard, lines, software, any_values)
    return lines, constants, errors, left_out


PSEUDO_ROWS = 20  # what the residuals of all software weigh in the stated error of one


def stated_errors(left_out):
    """By software: from its rows, and from the rows of all software as if they were PSEUDO_ROWS more."""
    sources = left_out["any"]
    rows = [(abs(r), 1 / len(residuals)) for residuals in sources.values() for r in residuals]
    stated = {"any": stated_error([r for r, _ in rows], [w for _, w in rows])}
    others = [(r, PSEUDO_ROWS / (len(SOFTWARE) - 1) / len(left_out[s])) for s in SOFTWARE[1:] for r in left_out[s]]
    for software in SOFTWARE[1:]:
        pairs = [(r, 1) for r in left_out[software]] + others
        stated[software] = stated_error([r for r, _ in pairs], [w for _, w in pairs])
    return stated


def memory_error(trainyard, lines, constants, software):
    """The same of the memory: all rows that state it, because few do."""
    known = [line for line in lines[1:] if cells_of(line)[-1]]
    groups = {}
    for line in known:
        groups.setdefault(line.split(",")[1], []).append(line)
    residuals = []
    for own, rows in groups.items():
        for training in Program(trainyard, [lines[0]] + rows).trainings({own: constants[own]}):
            residuals.append(abs(math.log(training["memory_predicted_gb"] / training["memory_measured_gb"])))
    return stated_error(residuals, [1] * len(residuals))


def document(trainyard):
    """The catalogue, and the residuals of rows that were left out."""
    lines, constants, errors, left_out = fit_all(trainyard)
    stated = stated_errors(left_out)
    memory = written(memory_error(trainyard, lines, constants, "any"), RATIO)
    entries = {}
    for software in SOFTWARE:
        members = entry(constants[software], software, written(stated[software], RATIO), memory)
        own = lines[1:] if software == "any" else software_lines(lines, software)[1:]
        entries[software] = {}
        for name, value in members.items():
            member = {"value": value, "source": "rows"}
            if name in errors[software]:
                member["error"] = written(errors[software][name], RATIO)
                member["range"] = range_of(own)
            elif name in NOTES:
                member = {"value": value, "source": "documents", "note": NOTES[name]}
            elif name == "error":
                member["note"] = ("half of the error that 95 % of the rows do not exceed, each source predicted without its rows" if software == "any" else
                                  "half of the error that 95 % of the rows do not exceed, each model and GPU predicted without its rows")
            elif name == "memory_error":
                member["note"] = "half of the error that 95 % of the rows that state their memory do not exceed"
            else:
                member["note"] = "no row shows it: that of any software"
            entries[software][name] = member
    return {"catalog": 1,
            "description": "Software that trains transformers. tools/transformer_fit.py wrote this file.",
            "sources": SOURCES, "transformer_software": entries}, left_out, stated


def printed(catalog):
    """One member a line."""
    parts = ["{", '  "catalog": 1,', f'  "description": {json.dumps(catalog["description"])},', '  "sources": {']
    parts.append(",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in catalog["sources"].items()) + "\n  },")
    parts.append('  "transformer_software": {')
    parts.append(",\n".join(
        f"    {json.dumps(software)}: {{\n"
        + ",\n".join(f"      {json.dumps(name)}: {json.dumps(value)}" for name, value in members.items()) + "\n    }"
        for software, members in catalog["transformer_software"].items()) + "\n  }\n}")
    return "\n".join(parts)


def mean_error(residuals):
    return 100 * sum(abs(math.exp(r) - 1) for r in residuals) / len(residuals)


def bias(residuals):
    return 100 * sum(math.exp(r) - 1 for r in residuals) / len(residuals)


def coverage(residuals, error):
    return 100 * sum(abs(r) <= math.log(1 + 2 * error) for r in residuals) / len(residuals)


def left_out_lines(left_out, stated):
    """A table of the rows that were left out, and the shares of rows within the stated error."""
    rows = [("software of known rows, each model and GPU left out", s, left_out[s], stated[s]) for s in SOFTWARE[1:]]
    rows += [("any software, each source left out", s, r, stated["any"]) for s, r in left_out["any"].items()]
    text, title = [], ""
    for group, name, residuals, error in rows:
        if group != title:
            text.append(f"{group:<72}{'rows':>6}{'error':>9}{'bias':>9}{'stated':>9}{'within':>9}")
            title = group
        text.append(f"  {name:<70}{len(residuals):>6}{mean_error(residuals):>7.1f} %{bias(residuals):>+7.1f} %{200 * error:>7.1f} %"
                    f"{coverage(residuals, error):>7.1f} %")
    own = [r for s in SOFTWARE[1:] for r in left_out[s]]
    within = sum(coverage(left_out[s], stated[s]) * len(left_out[s]) for s in SOFTWARE[1:]) / len(own)
    sources = left_out["any"]
    shares = [within, sum(coverage(r, stated["any"]) for r in sources.values()) / len(sources)]
    text.append(f"Known software: {shares[0]:.1f} % of {len(own)} rows within the stated error. "
                f"Any software: {shares[1]:.1f} %, each source alike.")
    return text, shares


TOLERANCE = 0.02
COVERAGE = (90, 98)


def number(value):
    return float(value.rstrip("%usmGMB")) if isinstance(value, str) else float(value)


def differences(fresh):
    """Members of the file whose values differ from the fit's. Libraries' logarithms differ in the last digit, so values may, too."""
    with open(CATALOG, encoding="utf-8") as file:
        kept = json.load(file)["transformer_software"]
    wrong = []
    for software, members in fresh["transformer_software"].items():
        for name, member in members.items():
            old = kept.get(software, {}).get(name, {}).get("value")
            new = member["value"]
            if isinstance(new, bool) or isinstance(old, bool) or old is None:
                is_same = old == new
            else:
                is_same = abs(number(old) / number(new) - 1) < TOLERANCE if number(new) else number(old) == 0
            if not is_same:
                wrong.append(f"{software}/{name}: {old} in the file, {new} by the fit")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--left-out", action="store_true", help="print the errors of rows that were left out of the fit instead")
    parser.add_argument("--check", action="store_true",
                        help="the same; exit code 1 if the file is not what the fit gives, or if errors are misstated")
    parser.add_argument("trainyard", metavar="TRAINYARD", help="the program")
    options = parser.parse_args()
    catalog, left_out, stated = document(options.trainyard)
    if not options.left_out and not options.check:
        print(printed(catalog))
        return 0
    lines, shares = left_out_lines(left_out, stated)
    print("\n".join(lines))
    wrong = differences(catalog) if options.check else []
    wrong += [f"{share:.1f} % within the stated error, expected {COVERAGE[0]} to {COVERAGE[1]} %" for share in shares
              if not COVERAGE[0] <= share <= COVERAGE[1]]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

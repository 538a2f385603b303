#!/usr/bin/env python3
"""Prints published trainings of transformers as a table for `trainyard predict --measured`.

TABLE.csv has one published measurement a line, with the columns source, gpu, gpus, gpus_per_node, inter, model, layers, hidden, ffn,
gated_mlp, heads, kv_heads, vocab, seq, micro_batch, global_batch, precision, dp, tp, pp, cp, vpp, zero, recompute, framework,
tokens_per_s_per_gpu, step_time_s and memory_gb. Rows without a throughput, or whose layout is not whole (a micro batch that is not
stated, ranks that do not multiply to the GPUs), are left out and named on stderr. scenarios/catalog/transformer_rows.csv
was made with --thin 6.
"""
import argparse
import csv
import re
import sys

COLUMNS = ("source software gpu gpus gpus_per_node fabric port_rate model layers hidden mlp gated heads kv_heads vocabulary sequence "
           "layout global_batch step_s memory_gb").split()
# Published names of GPUs, longest first, and those of the catalogue.
GPUS = [("H100-SXM-96GB 500 W", "H100-500W"), ("A100-SXM-40GB", "A100-40GB"), ("A100", "A100-80GB"), ("A800", "A100-80GB"),
        ("H100", "H100"), ("H200", "H200"), ("B200-SXM", "B200"), ("GB200", "GB200"), ("GB300", "GB200"), ("B200", "B200")]
# Published names of software, and those of the catalogue.
SOFTWARE = [("Megatron-DeepSpeed", "megatron-lm"), ("Megatron-LM", "megatron-lm"), ("Megatron-Bridge", "megatron-core"),
            ("NeMo-Megatron", "megatron-core"), ("NeMo", "megatron-core"), ("llm-foundry", "llm-foundry"), ("nanotron", "nanotron"),
            ("torchtitan", "torchtitan"), ("InternEvo", "internevo")]
SHARDINGS = {"ddp": "ddp", "": "zero1", "zero1": "zero1", "zero2": "zero2", "fsdp3": "fsdp", "zero3": "fsdp", "fsdp2": "fsdp"}


def first(pairs, text):
    return next((name for begin, name in pairs if text.startswith(begin)), None)


def source_of(row):
    """The publication, without the line: rows of one publication share their conditions."""
    return re.split(r"[#]", row["source"])[0].split(" ")[0].replace(",", ";")


def fabric_of(row):
    """The kind of network and the rate of each GPU's port."""
    text = row["inter"]
    if int(row["gpus"]) <= int(row["gpus_per_node"]):
        return "", ""
    kind = "ethernet" if "EFA" in text else "infiniband"
    per_gpu = re.search(r"(\d+) Gb/s per GPU", text)
    per_node = re.search(r"(\d+) Gb/s per node", text)
    ports = re.search(r"(\d+)x(\d+) Gb/s", text)
    gpus = int(row["gpus_per_node"])
    if per_gpu:
        rate = float(per_gpu[1])
    elif ports:
        rate = float(ports[1]) * float(ports[2]) / gpus
    elif per_node:
        rate = float(per_node[1]) / gpus
    else:
        rate = 200 if row["gpu"].startswith("A") else 400
    return kind, f"{rate:g}Gbit/s"


def layout_of(row):
    sharding = SHARDINGS.get(row["zero"].split(" ")[0])
    recompute = row["recompute"].split(" ")[0] or "none"
    if row["recompute"] == "selective (0 layers)":
        recompute = "none"
    if sharding is None or not row["micro_batch"]:
        return None
    words = [f"dp={row['dp'] or 1}", f"tp={row['tp'] or 1}", f"pp={row['pp'] or 1}", f"cp={row['cp'] or 1}", sharding,
             f"mb={row['micro_batch']}", f"recompute={recompute}"]
    if row["vpp"] not in ("", "1"):
        words.append(f"vpp={row['vpp']}")
    if row["precision"].startswith("fp8"):
        words.append("fp8")
    if first(SOFTWARE, row["framework"]) == "megatron-lm" and "sequence parallel" not in row["framework"]:
        words.append("no-sp")
    return words


def convert(row):
    """The converted row, or why there is none."""
    gpus = int(row["gpus"])
    words = layout_of(row)
    if words is None:
        return "a layout that is not stated"
    ranks = 1
    for dimension in ("dp", "tp", "pp", "cp"):
        ranks *= int(row[dimension] or 1)
    if ranks != gpus:
        return f"{ranks} ranks on {gpus} GPUs"
    batch, sequence = int(row["global_batch"]), int(row["seq"])
    dp, micro = int(row["dp"] or 1), int(row["micro_batch"])
    if batch % (dp * micro) != 0:
        return f"a global batch of {batch} for {dp} x {micro}"
    if row["step_time_s"]:
        step = float(row["step_time_s"])
    elif row["tokens_per_s_per_gpu"]:
        step = batch * sequence / float(row["tokens_per_s_per_gpu"]) / gpus
    else:
        return "no throughput"
    software, gpu = first(SOFTWARE, row["framework"]), first(GPUS, row["gpu"])
    if gpu is None:
        return f"an unknown GPU, {row['gpu']}"
    fabric, rate = fabric_of(row)
    return [source_of(row), software or "", gpu, gpus, row["gpus_per_node"], fabric, rate, row["model"], row["layers"], row["hidden"],
            row["ffn"], row["gated_mlp"], row["heads"], row["kv_heads"], row["vocab"], row["seq"], '"' + ",".join(words) + '"', batch,
            f"{step:.6g}", row["memory_gb"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thin", type=int, default=1, metavar="N", help="keep each N-th row of a source with more than 500 rows")
    parser.add_argument("table", metavar="TABLE.csv")
    options = parser.parse_args()
    with open(options.table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts = {}
    for row in rows:
        counts[source_of(row)] = counts.get(source_of(row), 0) + 1
    print(",".join(COLUMNS))
    seen = {}
    for row in rows:
        source = source_of(row)
        seen[source] = seen.get(source, 0) + 1
        if counts[source] > 500 and seen[source] % options.thin != 0:
            continue
        converted = convert(row)
        if isinstance(converted, str):
            print(f"{source}, {row['model']} on {row['gpus']} {row['gpu']}: {converted}", file=sys.stderr)
        else:
            print(",".join(str(cell) for cell in converted))


if __name__ == "__main__":
    main()

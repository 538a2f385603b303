"""Reads trace.tsv, summary.json and timeline.json of the folder of a run, and prints the numbers that disagree. Amounts are integers: ns and
millionths of a dollar."""
import collections
import decimal
import json
import sys

STATES = ["preparing", "idle", "running", "leaving", "unusable"]
folder = sys.argv[1]
with open(folder + "/summary.json") as file:
    summary = json.load(file, parse_float=decimal.Decimal)
with open(folder + "/timeline.json") as file:
    events = json.load(file, parse_float=decimal.Decimal)["traceEvents"]


def ns(seconds):
    return int(seconds * 10**9)


def rows():
    columns = None
    with open(folder + "/trace.tsv", newline="\n") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if columns:
                row = dict(zip(columns, cells))
                row["at"], row["since"] = int(row["at_ns"]), int(row["since_ns"])
                row["values"] = {pair.split("=")[0]: int(pair.split("=")[1]) for pair in row["values"].split() if pair != "-"}
                yield row
            elif cells[0] == "at_ns":
                columns = cells


def equal(what, a, b, tolerance=0):
    if abs(a - b) > tolerance:
        print(f"{what}: {a} and {b}")


trace = list(rows())
end = next(row["at"] for row in trace if row["record"] == "run_ended")
window = ns(summary["measured"]["from_s"]), ns(summary["measured"]["until_s"])


def inside(row):
    return max(0, min(row["at"], window[1]) - max(row["since"], window[0]))


# Nodes: states and bills of the trace, of the summary, and states of the timeline.
held, of_state, billed, usd = {}, collections.Counter(), collections.Counter(), collections.Counter()
for row in trace:
    cluster = row["cluster"]
    if row["record"] == "node_state":
        if row["values"]["was"] < len(STATES):
            of_state[cluster, STATES[row["values"]["was"]]] += row["at"] - row["since"]
        held.pop(row["node"], None)
        if row["name"] != "released":
            held[row["node"]] = cluster, row["name"], row["at"]
    if row["record"] == "node_billed":
        billed[cluster] += row["values"]["billed_ns"]
        usd[cluster] += row["values"]["billed_ns"] * row["values"]["micro_usd_per_hour"] // (3600 * 10**9)
for cluster, state, since in held.values():
    of_state[cluster, state] += end - since
equal("held nodes", summary["held_nodes"], len(held))
processes = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
drawn = collections.Counter()
for event in events:
    if event["ph"] == "X":
        drawn[processes[event["pid"]], event["name"]] += int(event["dur"] * 1000)
for name, cluster in summary["clusters"].items():
    path = cluster["path"]
    for state in STATES:
        equal(f"{name} {state}", ns(cluster[state + "_s"]), of_state[path, state])
        if state != "running":
            equal(f"{name} {state} in the timeline", drawn["cluster " + path, state], of_state[path, state])
    equal(f"{name} states", ns(cluster["node_s"]), sum(of_state[path, state] for state in STATES))
    equal(f"{name} uses", ns(cluster["node_s"]), sum(ns(s) for use, s in cluster["attribution"].items() if use.endswith("_s")))
    equal(f"{name} bill by use", cluster["cost_usd"], sum(part for use, part in cluster["attribution"].items() if use.endswith("_usd")))
    equal(f"{name} billed", ns(cluster["billed_node_s"]), billed[path])
    equal(f"{name} cost", int(cluster["cost_usd"] * 10**6), usd[path])
    kinds = cluster.get("kinds", {}).values()
    for key in ("node_s", "running_s", "cost_usd", "energy_kwh") if kinds else ():
        equal(f"{name} {key} of its kinds", cluster[key], sum(kind[key] for kind in kinds), decimal.Decimal("0.000001") * len(kinds))
cost = summary["cost_usd"]
equal("bill", cost["total"], sum(cost["clusters"].values()) + sum(cost["file_servers"].values()) + cost["storage"] + cost["energy"])

# Jobs: waits, attempts and outcomes. Jobs that share nodes have GPU time.
waits, states, gpus, busy, busy_inside = collections.Counter(), {}, {}, collections.Counter(), 0
submitted, rejected, per_node = {}, set(), {}
for row in trace:
    job = row["job"]
    if row["record"] == "job_state":
        submitted.setdefault(job, row["at"])
        if states.get(job, ("",))[0] == "queued":
            waits[job] += row["at"] - states[job][1]
        states[job] = row["name"], row["at"]
        if row["cause"] == "full_queue":
            rejected.add(job)
    if row["record"] == "job_placed":
        per_node[row["node"]] = row["values"]["gpus_per_node"]
        gpus.setdefault(job, []).append((row["node"], row["values"]["gpus"]))
    if row["record"] == "job_attempt":
        parts = sum(value for key, value in row["values"].items() if key.endswith("_ns"))
        places = gpus.pop(job, None)
        slots = sum(count for _, count in places) if places else row["values"]["nodes"]
        equal(f"parts of {job}", parts, slots * (row["at"] - row["since"]))
        for node, count in places or []:
            busy[row["cluster"]] += decimal.Decimal(count) / per_node[node] * (row["at"] - row["since"])
            busy_inside += decimal.Decimal(count) / per_node[node] * inside(row)
        if not places:
            busy[row["cluster"]] += slots * (row["at"] - row["since"])
            busy_inside += slots * inside(row)
for job, (state, since) in states.items():
    waits[job] += end - since if state == "queued" else 0
equal("waiting", sum(ns(seconds) for seconds in summary["waiting"].values()), sum(waits.values()))
counted = [job for job in states if window[0] <= submitted[job] < window[1]]
counts = summary["job_counts"]
equal("submitted", counts["submitted"], len(counted))
equal("rejected", counts["rejected"], len([job for job in counted if job in rejected]))
equal("succeeded", counts["succeeded"], len([job for job in counted if states[job][0] == "succeeded"]))
equal("outcomes", counts["submitted"], sum(counts[key] for key in counts if key != "submitted"))
for name, workload in summary["workloads"].items():
    own = sorted(waits[job] for job in counted if job.split("/")[-1].rsplit("-", 1)[0] == name and job not in rejected)
    equal(f"jobs of {name}", workload["jobs"] - workload["rejected"], len(own))
    equal(f"mean wait of {name}", ns(workload["queue_s"]["mean"]), sum(own) // len(own))
    for percent in (50, 95, 99):
        equal(f"p{percent} of the waits of {name}", ns(workload["queue_s"][f"p{percent}"]), own[max(0, -(-len(own) * percent // 100) - 1)])

# Utilisations count shared nodes by their GPUs.
millionth = decimal.Decimal("0.000002")
node_ns = sum(ns(cluster["node_s"]) for cluster in summary["clusters"].values())
equal("utilisation", summary["utilisation"], sum(busy.values()) / node_ns, millionth)
equal("measured utilisation", summary["measured"]["utilisation"], busy_inside / ns(summary["measured"]["node_s"]), millionth)

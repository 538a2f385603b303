/* summary.json: what a run amounts to, for people, scripts and expectations.
 *
 *     {"scenario": "cifar10-horovod", "seed": 20180718, "version": "0.1.0", "rng": "...",
 *      "simulated_s": 4112.5, "events": 39240, "draws": 21, "fidelity": "step",
 *      "start": "2018-07-18T17:45:00Z",
 *      "clusters": {"nc6cluster": {"path": "batchaidev/nc6cluster", "state": "steady",
 *          "vm_size": "STANDARD_NC6", "priority": "dedicated",
 *          "created_s": 0, "steady_s": 134.2, "ready_s": 281.9, "deleted_s": null,
 *          "nodes_max": 4, "node_s": 14230, "billed_node_s": 14160, "cost_usd": 3.54,
 *          "preparing_s": ..., "idle_s": ..., "running_s": ..., "leaving_s": ..., "unusable_s":
 * ..., "attribution": {"useful_s": ..., "useful_usd": ..., "exchange_s": ..., ...}}}, "jobs":
 * {"cifar_distributed": {"path": "batchaidev/cifar/cifar_distributed", "cluster": "nc6cluster",
 * "tool": "horovod", "nodes": 4, "ranks": 4, "state": "succeeded", "exit_code": 0, "error":
 * {"code": ..., "message": ...}, "submitted_s": ..., "started_s": ..., "ended_s": ..., "queue_s":
 * ..., "prep_s": ..., "start_s": ..., "train_s": ..., "finish_s": ..., "run_s": ..., "steps":
 * 39075, "step_ms": {"mean": 92.1, "p50": 92, "p95": 94}, "split_s": {"input", "compute", "wait",
 * "exchange", "update", "evaluate", "checkpoint"}, "epochs": 25, "val_accuracy": 0.75, "val_loss":
 * 0.73, "node_s": ..., "gpu_s": ..., "restarts": 0, "attempts": 1, "lost_node_s": 0,
 * "wasted_gpu_s": 0, "goodput": 0.91, "output_path": "..."}}, "workloads": {"night": {"jobs": 812,
 * "succeeded": 800, "failed": 10, "unfinished": 2, "queue_s": {"mean", "p50", "p95", "p99", "max"},
 * "run_s": {...}, "turnaround_s": {...}, "last_ended_s": ..., "restarts": 31, "lost_node_s": ...,
 * "goodput": ...}}, "queue_s": {"mean", "p50", "p95", "p99", "max"}, "cost_usd": {"total": 3.54,
 * "clusters": {"nc6cluster": 3.54}, "file_servers": {}, "storage": 0.000012}, "held_nodes": 0,
 * "held_usd_per_h": 0, "attribution": {"useful_s": ..., "useful_usd": ...,
 * ...}, "utilisation": 0.93, "problems": ["job b was still queued when the run ended"], "errors":
 * [{"cluster": "gpu", "of": "nodes", "what": "AZFMountError: ...", "cause": "mount_failure",
 * "count": 2, "first_s": ..., "last_s": ...}], "fingerprint":
 * "events:.../times:.../nodes:.../jobs:.../bills:.../files:.../draws:..."}
 *
 * Every number is exact: an integer that was counted, or such an integer with its decimal point
 * moved (means and shares: rounded down). Times are seconds since the start; null where something
 * has not happened. A key that does not apply (step_ms of a job that does not train, error of one
 * that went well, workloads of a scenario that has none) is absent.
 *
 * Of a job: queue_s is all its waiting; the rest belongs to the latest attempt: prep_s from its
 * start until the last node ended mounts, image, container and job preparation; start_s from there
 * to the first step; train_s to the end of the last epoch; finish_s to its end (saving the model);
 * run_s is their sum. split_s is the time of rank 0, p50 and p95 of step_ms need a trace of steps.
 * attempts are those that took nodes and are over. lost_node_s is node time whose work had to be
 * thrown away, wasted_gpu_s the same in GPU time. goodput is the share of the node time of all
 * attempts that brought the job on: useful, exchange, input and checkpoint; not startup, waiting
 * for other nodes and what was lost. null before an attempt is over.
 *
 * A job that ran outside of the world has "execution": "real", and of steps, epochs, val_accuracy
 * and val_loss what somebody told (job.ran): how many its training had done in all attempts
 * together, and how good it was then.
 *
 * Jobs of workloads are not listed: their experiment may have 100,000 of them. queue_s at the top
 * is of all jobs, theirs included; a job that still waits has
 * waited longer than all others: "waiting" says how many do (absent when none does), and the mean
 * and the percentiles that depend on them are null. turnaround_s, from submission to end, is the
 * same of jobs that are not over. run_s is of jobs that are over. Percentiles are by nearest rank.
 *
 * Of a cluster: node_s is node time from allocation to release, billed_node_s what is paid of it.
 * attribution divides both node_s and cost_usd by use (sim/output/summary/attribution.h), so that
 * each adds up; the bill is divided in proportion to time. At the top it is the sum over clusters;
 * storage and file servers are no node time. utilisation is the share of all node_s in which nodes
 * ran jobs. held_nodes were held when the run ended, which is its last event or, where there are
 * more to come, "until": up to there they are billed, and held_usd_per_h is what goes on.
 * cost_usd.storage is the price of what is stored, or of a share's whole size where that is what is
 * provisioned and paid (tier premium). errors are those of clusters and nodes, with their reasons.
 * Things are called by their short names; where two have the same, by their paths; and where those
 * are the same too (deleted and made again), "#2" and so on follows. */
#ifndef SIM_OUTPUT_SUMMARY_H
#define SIM_OUTPUT_SUMMARY_H

#include "sim/json/json.h"
#include "sim/output/summary/metrics.h"
#include "sim/output/summary/run_facts.h"

/* `facts` NULL: the keys that need them are absent (metrics of a trace file alone). `fingerprint`
 * NULL: likewise. Sorts the step times of `metrics`. */
Json *summary_json(Arena *arena, const RunFacts *facts, const RunMetrics *metrics,
                   const char *fingerprint);

#endif

/* Logs in our own words, for what has no published form: the service's execution log, the output of
 * a job preparation, the output of programs that are not Keras. Each says in its first line that it
 * is emulated, and holds nothing but what the simulation knows. */
#ifndef SIM_OUTPUT_EMULATED_LOG_TEXT_H
#define SIM_OUTPUT_EMULATED_LOG_TEXT_H

#include "sim/output/share/emulated_log.h"

/* What the service did on `node` (index among the job's nodes): stages with their times, the job's
 * environment (secrets hidden), the command line on the master, the end. */
void execution_log(const JobView *view, int32_t node, LogWriter *log);

/* What a script printed, to standard output or error, and nothing else. NULL: not begun. */
void shell_log(const JobView *view, const ShellRun *run, bool is_error, LogWriter *log);

/* A preparation that is a script: what it printed. Else the preparation command, its time and its
 * exit code; on stderr only a failure. */
void preparation_out_log(const JobView *view, int32_t node, LogWriter *log);
void preparation_error_log(const JobView *view, int32_t node, LogWriter *log);

/* The same of a cluster's set-up task on a node where it has begun: the last time that it ran. */
void setup_out_log(const ClusterSpec *spec, const Node *node, LogWriter *log);
void setup_error_log(const ClusterSpec *spec, const Node *node, LogWriter *log);

/* Standard output of a program without a form of its own: what it is, then for training ten lines
 * of progress and one line of results per epoch, told by the span's first rank. */
void plain_out_log(const JobView *view, RankSpan ranks, LogWriter *log);

/* The last words on a program's standard error: its exit code, where that is a failure. */
void program_error_log(const JobView *view, LogWriter *log);

/* Standard error of ranks whose script is not there. */
void script_error_log(const JobView *view, RankSpan ranks, LogWriter *log);

/* Standard error of one parameter server of a distributed TensorFlow job. */
void parameter_server_error_log(const JobView *view, LogWriter *log);

#endif

/* Logs in trainyard's words, for logs without a published form: the service's execution log, the
 * output of a job preparation, the output of programs that are not Keras. The first line of each
 * says that it is emulated, and the rest contains only what the simulation knows. */
#ifndef SIM_OUTPUT_EMULATED_LOG_TEXT_H
#define SIM_OUTPUT_EMULATED_LOG_TEXT_H

#include "sim/output/share/emulated_log.h"

/* The service's log on `node` (index among the job's nodes): stages with their times, the job's
 * environment (secrets hidden), the command line on the master, the end. */
void execution_log(const JobView *view, int32_t node, LogWriter *log);

/* The output of a script, to standard output or error, and nothing else. NULL: it has not begun. */
void shell_log(const JobView *view, const ShellRun *run, bool is_error, LogWriter *log);

/* The job preparation on a node. A script: its output. Otherwise the command, its time and its
 * exit code; on stderr only a failure. */
void preparation_out_log(const JobView *view, int32_t node, LogWriter *log);
void preparation_error_log(const JobView *view, int32_t node, LogWriter *log);

/* The same for the latest run of a cluster's set-up task on a node where it has begun. */
void setup_out_log(const ClusterSpec *spec, const Node *node, LogWriter *log);
void setup_error_log(const ClusterSpec *spec, const Node *node, LogWriter *log);

/* Standard output of a program without a known form. Its first line describes the program. A
 * training then prints ten lines of progress and one line of results per epoch, by the span's
 * first rank. */
void plain_out_log(const JobView *view, RankSpan ranks, LogWriter *log);

/* The end of a program's standard error: its exit code, if that is a failure. */
void program_error_log(const JobView *view, LogWriter *log);

/* Standard error of ranks whose script does not exist. */
void script_error_log(const JobView *view, RankSpan ranks, LogWriter *log);

/* Standard error of one parameter server of a distributed TensorFlow job. */
void parameter_server_error_log(const JobView *view, LogWriter *log);

#endif

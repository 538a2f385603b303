/* The output of preparation commands that install packages, in the form of apt 1.2 and pip 9: what
 * each step of "apt update; apt install ... -y; pip install ..." prints.
 *
 * Names, versions and sizes of packages are those of Ubuntu 16.04 and PyPI in July 2018 where they
 * are known, and assumed elsewhere. The tutorial's preparation wrote 13,651 bytes to standard
 * output and 238 to standard error on each node; the latter are two warnings of apt and one of
 * debconf. */
#ifndef SIM_OUTPUT_SHARE_PACKAGE_LOG_H
#define SIM_OUTPUT_SHARE_PACKAGE_LOG_H

#include "sim/output/share/emulated_log.h"

/* Whether all steps of a command line install packages, so that its output can be written. */
bool is_package_command(const char *command);
/* Print the output of such a command from `begin_ns` to `end_ns` (INT64_MAX while it runs): its
 * steps take equally long. */
void package_out_log(const char *command, int64_t begin_ns, int64_t end_ns, LogWriter *log);
void package_error_log(const char *command, int64_t begin_ns, int64_t end_ns, LogWriter *log);

#endif

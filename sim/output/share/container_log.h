/* The output of Docker 18.03 around a job's container, for execution.log: the progress of a pull,
 * the image, the command that starts the container, and its settings. The service's own text was
 * never published; its sizes were 8.4 kB larger on a node with a container than on one without. */
#ifndef SIM_OUTPUT_SHARE_CONTAINER_LOG_H
#define SIM_OUTPUT_SHARE_CONTAINER_LOG_H

#include "sim/output/share/emulated_log.h"

/* `docker pull`: the beginning of a pull, and its end. */
void container_pull_begin(const ContainerImage *image, LogWriter *log);
void container_pull_end(const ContainerImage *image, LogWriter *log);
/* `docker image inspect`, `docker run` and `docker inspect` of the job's container. */
void container_start_log(const JobView *view, LogWriter *log);
/* The shell that runs the job's command on the master, with the job's environment: by `docker exec`
 * in the container, by `env` on the host. */
void command_shell_log(const JobView *view, LogWriter *log);

#endif

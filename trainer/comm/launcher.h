/* Whether a launcher of parallel programs started this process as one of several, as its
 * environment says; nothing of a library for ranks is needed to know.
 *
 *     mpirun of Open MPI 4          OMPI_COMM_WORLD_SIZE
 *     hydra of MPICH, srun with PMI PMI_SIZE
 *     srun with PMIx, prterun       PMIX_RANK; how many there are is told only by PMIx itself
 */
#ifndef TRAINER_LAUNCHER_H
#define TRAINER_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

/* True when this process is one of several, or may be. */
bool launcher_is_there(void);
/* How many ranks were started, as far as is known without asking: at least so many. */
int32_t launcher_ranks(void);

#endif

/* Detects from the environment whether a launcher of parallel programs started this process as one
 * of several. No communication library is needed.
 *
 *     mpirun of Open MPI 4          OMPI_COMM_WORLD_SIZE
 *     hydra of MPICH, srun with PMI PMI_SIZE
 *     srun with PMIx, prterun       PMIX_RANK; only the PMIx library knows the number of ranks
 */
#ifndef SIM_CLI_LAUNCHER_H
#define SIM_CLI_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

/* True if this process is one of several, or may be. */
bool launcher_is_there(void);
/* The least number of ranks that were started, according to the environment. */
int32_t launcher_ranks(void);
/* The number of ranks that mpirun of Open MPI started; 1 without it. */
int32_t launcher_open_mpi_ranks(void);

#endif

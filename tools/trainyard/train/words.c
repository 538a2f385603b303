/* The words that several verbs take, declared where they belong and defined here, in the library
 * that the main program links for its help and completion. */
#include "trainer/comm/comm.h"
#include "trainer/compute/backend.h"

const char *const precision_names[] = {"fp32", "bf16", "tf32", NULL};
_Static_assert(sizeof precision_names / sizeof precision_names[0] == PRECISION_COUNT + 1,
               "one name per precision");

const char *const backend_words[] = {"auto", "cpu", "cuda", "onednn", "ref", NULL};
const char *const comm_words[] = {"auto", "local", "mpi", "nccl", NULL};

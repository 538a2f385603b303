#include "trainer/comm/comm_words.h"

#include <stddef.h>

const char *const comm_words[] = {"auto", "local", "mpi", "nccl", NULL};

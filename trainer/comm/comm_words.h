/* The words of the option --comm. They are in a library of their own, so that the main program has
 * them for its help and completion without MPI. */
#ifndef TRAINER_COMM_WORDS_H
#define TRAINER_COMM_WORDS_H

/* "auto", "local", "mpi", "nccl"; ended by NULL. */
extern const char *const comm_words[];

#endif

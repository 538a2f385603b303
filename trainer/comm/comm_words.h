/* The words of the option --comm. They are in a separate library, so that the main program can use
 * them for its help and completion without MPI. */
#ifndef TRAINER_COMM_WORDS_H
#define TRAINER_COMM_WORDS_H

/* "auto", "local", "mpi", "nccl"; ended by NULL. */
extern const char *const comm_words[];

#endif

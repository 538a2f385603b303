/* A process that is killed at one of its system calls: at the same place of its work on any machine
 * and under any load. */
#ifndef TESTS_SUPPORT_KILLED_PROCESS_H
#define TESTS_SUPPORT_KILLED_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#define NOT_KILLED INT64_MAX

/* Runs work(owner) in a child process, and kills it when it enters its system call number `last`,
 * counted from 1. Returns the number of calls that it has entered. A child that is not killed must
 * return true. */
int64_t killed_process_run(bool (*work)(void *owner), void *owner, int64_t last);
/* The call of kill `i` of `kills` in a work of `calls`: half of them are spread over all calls, and
 * half are the last calls, one by one. */
int64_t killed_process_call(int64_t calls, int i, int kills);

#endif

/* The server with simulated connections: clients whose requests arrive in pieces, who read their
 * answers slowly, and who leave at any byte; and clients who watch events. The disk may fail, too.
 *
 * The server runs unchanged. Its connections are pairs of sockets, made here when it accepts one;
 * the clock, its waiting and the random numbers of TLS are replaced for the whole process. Whenever
 * it would wait, clients do next what the seed draws: connect, send a piece, read a few bytes, or
 * leave. So the process needs no thread, and a seed repeats itself. */
#ifndef TESTS_EMU_FAULTS_NETWORK_H
#define TESTS_EMU_FAULTS_NETWORK_H

#include <stdint.h>

/* All random bytes of the process, of keys and of TLS, follow from the seed. */
void network_seed(uint64_t seed);

/* Serves the emulator of the present life to simulated clients, for some rounds. Fails the life
 * where what they see, or what the emulator then has, is not a result of their requests
 * (README.md). */
void network_live(void);

#endif

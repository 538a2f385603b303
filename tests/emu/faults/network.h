/* The server with simulated connections: clients whose requests arrive in pieces, who read their
 * answers slowly, and who leave at any byte.
 *
 * The server runs unchanged. Its connections are pairs of sockets, made here when it accepts one;
 * the clock, and its waiting, are replaced for the whole process. Whenever it would wait, clients
 * do next what the seed draws: connect, send a piece, read a few bytes, or leave. So the process
 * needs no thread, and a seed repeats itself. */
#ifndef TESTS_EMU_FAULTS_NETWORK_H
#define TESTS_EMU_FAULTS_NETWORK_H

/* Serves the emulator of the present life to simulated clients, for some rounds. A request that was
 * cut off before its last byte must not have happened; one whose answer was cut off must have
 * happened completely or not at all; all others must be answered. Fails the life where that does
 * not hold. */
void network_live(void);

#endif

/* A mark in a file that contains the file's digest, so that later changes are detected.
 *
 * The mark is a text, "trainyard fnv1a-64 " and 16 hexadecimal digits, somewhere in the file; the
 * digest is FNV-1a of all bytes, with zeros in place of those digits. FNV-1a is a bijection of each
 * byte while the others are fixed. A single changed byte is therefore always detected, and other
 * damage is missed with probability 2^-64. The checksum is not a signature: anyone can compute it
 * again after a change. */
#ifndef TRAINER_CHECKSUM_H
#define TRAINER_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>

/* The mark before it is filled in; a file that gets a checksum contains it once. */
extern const char checksum_blank[];

/* Fills in the digest. Invariant: `bytes` contains the mark. */
void checksum_fill(char *bytes, size_t length);
/* True if `bytes` contains the mark. */
bool checksum_is_there(const char *bytes, size_t length);
/* True if `bytes` contains the mark with the right digest. */
bool checksum_holds(const char *bytes, size_t length);

#endif

/* A mark in a file's bytes by which any later change of them is seen: the file says its own digest.
 *
 * The mark is a text, "trainyard fnv1a-64 " and 16 hexadecimal digits, somewhere in the file; the
 * digest is FNV-1a of all bytes, those digits counted as zeros. FNV-1a is a bijection of each byte
 * for the others held fixed, so one changed byte never goes unseen, and any other damage with a
 * chance of 2^-64. It is no signature: whoever wants to deceive computes it anew. */
#ifndef TRAINER_CHECKSUM_H
#define TRAINER_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>

/* The mark before it is filled in; a file that shall be sealed holds it once. */
extern const char checksum_blank[];

/* Fills in the digest. An invariant: the mark is there. */
void checksum_fill(char *bytes, size_t length);
/* True when the mark is there and right. */
bool checksum_holds(const char *bytes, size_t length);

#endif

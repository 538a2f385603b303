/* Loops over long arrays, compiled once for every x86-64 and once more for processors with AVX2;
 * the dynamic linker picks (an ELF "ifunc"). Without it a portable build computes four floats at a
 * time where eight fit.
 *
 * Both give the same bits: each value is computed alone, by IEEE operations in the order written.
 * AVX2 does not bring fused multiply-adds, and -ffp-contract=off forbids them anyway; a sum over an
 * array stays in its order, because nothing here is compiled with -ffast-math. AVX-512 has no copy
 * of its own: such loops wait for memory, and compilers use its 256-bit half by default.
 *
 * Only for static functions, under names that no other file has: clang 14 makes global symbols of
 * the copies and gives them, where the function is global, names that other files do not know.
 *
 * Other processors have one width that all of a kind share: nothing is needed there. */
#ifndef TRAINER_VECTORS_H
#define TRAINER_VECTORS_H

#include <stdint.h> // which says whether this is glibc: other C libraries have no ifuncs

#if defined(__x86_64__) && defined(__ELF__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#endif
#endif

#ifndef VECTORISED
#define VECTORISED
#endif

#endif

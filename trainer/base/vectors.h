/* VECTORISED compiles a loop over long arrays twice: for every x86-64 processor and for processors
 * with AVX2. The dynamic linker picks one (an ELF "ifunc"). Without it a portable build computes
 * four floats at a time on processors that can compute eight.
 *
 * Both versions give the same bits: each value is computed separately, by IEEE operations in the
 * order written. AVX2 does not include fused multiply-adds, and -ffp-contract=off forbids them
 * anyway. A sum over an array keeps its order, because nothing here is compiled with -ffast-math.
 * There is no version for AVX-512: such loops wait for memory, and compilers use 256-bit vectors by
 * default.
 *
 * Only for static functions whose names are unique in the program: clang 14 makes the copies global
 * symbols. The copies of a global function would get names that other files do not know.
 *
 * On other processors the attribute is empty: all processors of one architecture have the same
 * vector width. */
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

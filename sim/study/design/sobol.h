/* Sobol' sequences: points that fill a cube evenly. */
#ifndef SIM_STUDY_DESIGN_SOBOL_H
#define SIM_STUDY_DESIGN_SOBOL_H

#include <stdint.h>

enum { SOBOL_DIMENSIONS = 40 };

/* Coordinate `dimension` (0 to SOBOL_DIMENSIONS - 1) of point `index`, times 2^32. Primitive
 * polynomials and initial direction numbers: S. Joe, F. Y. Kuo, "Constructing Sobol sequences with
 * better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008, the first 40 dimensions of
 * their table new-joe-kuo-6. Any 2^k successive points from a multiple of 2^k have one coordinate
 * in each interval of length 2^-k. */
uint32_t sobol_word(uint32_t index, int32_t dimension);

#endif

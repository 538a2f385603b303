/* OCBA: how many runs of all to give to each candidate, so that the best one is most likely found
 * (C.-H. Chen, J. Lin, E. Yucesan, S. E. Chick, "Simulation budget allocation for further enhancing
 * the efficiency of ordinal optimization", Discrete Event Dynamic Systems 10, 2000; with
 * constraints: L. H. Lee, N. A. Pujowidianto, L.-W. Li, C.-H. Chen, C. M. Yap, "Approximate
 * simulation budget allocation for selecting the best design in the presence of stochastic
 * constraints", IEEE Transactions on Automatic Control 57, 2012).
 *
 * A candidate needs runs in proportion to (noise / signal)^2, where the signal is the difference
 * that excludes it: of its objective to the best one, or of a missed check to its limit. The best
 * one needs sigma_b sqrt(sum N_i^2 / sigma_i^2), and enough to see that it meets its checks. */
#ifndef SIM_STUDY_STATISTICS_OCBA_H
#define SIM_STUDY_STATISTICS_OCBA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double deviation; /* standard deviation of the objective; 0: it is constant */
    double signal; /* the larger the less runs it needs: |difference| / deviation of what excludes
                      the candidate; of the best one, the smallest margin of its checks */
    bool is_best;
} OcbaCandidate;

/* Sets share[i] >= 0, whose sum is 1. `count` >= 1; at most one is the best. */
void ocba_shares(const OcbaCandidate *candidates, int32_t count, double *shares);

#endif

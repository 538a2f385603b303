/* The price at which the answer of a plan changes. Nothing in a run depends on prices, so costs are
 * linear in them: the break-even follows from the costs of the same runs, and needs no others. */
#ifndef SIM_STUDY_FOLLOW_BREAK_EVEN_H
#define SIM_STUDY_FOLLOW_BREAK_EVEN_H

#include <stdbool.h>
#include <stdint.h>

/* The costs of one of two candidates, by run; both have the same seeds. */
typedef struct {
    const double *total; /* USD */
    const double *part;  /* of it, the part that is proportional to the price */
} PricedRuns;

/* Multiples of today's price. */
typedef struct {
    bool is_known; /* a price between a tenth and ten times today's at which both cost the same */
    double multiple;
    double low, high; /* its interval; NAN: the data do not bound it */
} BreakEven;

/* The multiple m at which mean(winner.total) + (m - 1) mean(winner.part) equals the same of
 * `other`, with the interval of E. C. Fieller, "Some problems in interval estimation", Journal of
 * the Royal Statistical Society B 16, 1954, for the ratio of two means of paired differences.
 * `count` >= 2. */
BreakEven break_even_price(PricedRuns winner, PricedRuns other, int32_t count, double confidence);

/* The rate, between two that were simulated, at which the difference of the next best to the winner
 * (below 0: the next best is better) is 0, on a straight line in the logarithm of the rate. */
typedef struct {
    double rate; /* a multiple of today's */
    double difference, half_width;
} RateDifference;

/* `rates` rise, and 1 is one of them. The crossing that is next to 1; low and high are the
 * crossings of the bounds of the difference. is_known is false when the sign is the same at all
 * rates. */
BreakEven break_even_rate(const RateDifference *rates, int32_t count);

#endif

#include "sim/model/random_math.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"

enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

// ln 2 in two parts. The low 21 bits of the first are 0, so its product with an exponent is exact.
static const double ln2_high = 0x1.62e42feep-1;
static const double ln2_low = 0x1.a39ef35793c76p-33;

static const double sqrt_2 = 0x1.6a09e667f3bcdp+0;

/* x as m * 2^exponent with m between sqrt(1/2) and sqrt(2). */
static double split(double x, int32_t *exponent)
{
    uint64_t bits;
    *exponent = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54; // a denormal number has no implicit leading one
        *exponent = -54;
    }
    memcpy(&bits, &x, sizeof bits);
    *exponent += (int32_t)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    bits = (bits & ((UINT64_C(1) << MANTISSA_BITS) - 1)) | (uint64_t)EXPONENT_BIAS << MANTISSA_BITS;
    memcpy(&x, &bits, sizeof x);
    if (x > sqrt_2) {
        x /= 2;
        *exponent += 1;
    }
    return x;
}

/* 2 atanh(s) - 2 s, over s: the series 2/3 s^2 + 2/5 s^4 + ..., for |s| <= 0.172. */
static double atanh_rest(double s)
{
    double square = s * s;
    double sum = 0;
    for (int32_t n = 25; n >= 3; n -= 2)
        sum = (sum + 2.0 / n) * square;
    return sum;
}

/* log(1 + f) = 2 atanh(s) with s = f / (2 + f). Since 2 s = f - s f and f is exact, only the small
 * remainder is rounded. */
double random_log(double x)
{
    invariant(x > 0 && x <= DBL_MAX);
    int32_t exponent;
    double f = split(x, &exponent) - 1;
    double s = f / (2 + f);
    double half_square = f * f / 2;
    double rest = s * (half_square + atanh_rest(s));
    if (exponent == 0)
        return f - (half_square - rest);
    return exponent * ln2_high - ((half_square - (rest + exponent * ln2_low)) - f);
}

/* x * 2^exponent; the exponent may be outside the range of a double. */
static double scale(double x, int32_t exponent)
{
    if (exponent < -1000)
        return scale(x, exponent + 900) * 0x1p-900;
    if (exponent > 1000)
        return scale(x, exponent - 900) * 0x1p900;
    uint64_t bits = (uint64_t)(exponent + EXPONENT_BIAS) << MANTISSA_BITS;
    double power;
    memcpy(&power, &bits, sizeof power);
    return x * power;
}

/* e^x = 2^n e^r with |r| <= ln 2 / 2, by the series of e^r. */
double random_exp(double x)
{
    if (x > 709.7)
        return DBL_MAX;
    if (x < -745)
        return 0;
    double nearest = x / (ln2_high + ln2_low);
    int32_t n = (int32_t)(nearest < 0 ? nearest - 0.5 : nearest + 0.5);
    double high = x - n * ln2_high;
    double low = n * ln2_low;
    double r = high - low;
    double sum = 0; // e^r = 1 + r + r (r/2 + r^2/6 + ...)
    for (int32_t k = 14; k >= 2; k--)
        sum = (1 + sum) * (r / k);
    return scale(1 + (high - (low - r * sum)), n);
}

/* The value at x of the quotient of two polynomials of degree 7. */
static double quotient(const double above[8], const double below[8], double x)
{
    double numerator = above[7], denominator = below[7];
    for (int32_t i = 6; i >= 0; i--) {
        numerator = numerator * x + above[i];
        denominator = denominator * x + below[i];
    }
    return numerator / denominator;
}

static const double middle_above[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                      1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                      4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                      3.3430575583588128105e+4, 2.5090809287301226727e+3};
static const double middle_below[] = {
    1,
    4.2313330701600911252e+1,
    6.8718700749205790830e+2,
    5.3941960214247511077e+3,
    2.1213794301586595867e+4,
    3.9307895800092710610e+4,
    2.8729085735721942674e+4,
    5.2264952788528545610e+3,
};
static const double tail_above[] = {
    1.42343711074968357734e0,  4.63033784615654529590e0,  5.76949722146069140550e0,
    3.64784832476320460504e0,  1.27045825245236838258e0,  2.41780725177450611770e-1,
    2.27238449892691845833e-2, 7.74545014278341407640e-4,
};
static const double tail_below[] = {
    1,
    2.05319162663775882187e0,
    1.67638483018380384940e0,
    6.89767334985100004550e-1,
    1.48103976427480074590e-1,
    1.51986665636164571966e-2,
    5.47593808499534494600e-4,
    1.05075007164441684324e-9,
};
static const double far_above[] = {
    6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
    2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
    2.71155556874348757815e-5, 2.01033439929228813265e-7,
};
static const double far_below[] = {
    1,
    5.99832206555887937690e-1,
    1.36929880922735805310e-1,
    1.48753612908506148525e-2,
    7.86869131145613259100e-4,
    1.84631831751005468180e-5,
    1.42151175831644588870e-7,
    2.04426310338993978564e-15,
};

double random_normal(double p)
{
    invariant(p > 0 && p < 1);
    double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425)
        return q * quotient(middle_above, middle_below, 0.180625 - q * q);
    double r = sqrt(-random_log(q < 0 ? p : 1 - p));
    double z =
        r <= 5 ? quotient(tail_above, tail_below, r - 1.6) : quotient(far_above, far_below, r - 5);
    return q < 0 ? -z : z;
}

double random_gamma(double x)
{
    invariant(x >= 1 && x <= 100);
    const double half_log_2_pi = 0x1.d67f1c864beb5p-1;
    double product = 1;
    while (x < 16) {
        product *= x;
        x += 1;
    }
    double inverse = 1 / x;
    double square = inverse * inverse;
    // B(2n) / (2n (2n - 1) x^(2n - 1)): the first term left out is below 1e-15.
    double series =
        inverse *
        (1.0 / 12 -
         square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
    return random_exp((x - 0.5) * random_log(x) - x + half_log_2_pi + series) / product;
}

double random_power(double base, int32_t exponent)
{
    double result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            result *= base;
        base *= base;
    }
    return result;
}

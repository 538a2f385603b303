#include "real/calibrate/fit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"

Repeated repeated_of(double *values, int32_t count)
{
    invariant(count >= 1);
    gsl_sort(values, 1, (size_t)count);
    Repeated repeated = {.median = gsl_stats_median_from_sorted_data(values, 1, (size_t)count)};
    if (count == 1)
        return repeated;
    double *work = memory_zeroed((size_t)count * sizeof *work);
    const double deviation = gsl_stats_mad(values, 1, (size_t)count, work); // includes the 1.4826
    free(work);
    repeated.error = sqrt(M_PI_2) * deviation / sqrt((double)count);
    return repeated;
}

/* --- Regression --- */

enum { COLUMNS_MAX = 8 };

typedef struct {
    int32_t count;
    int32_t columns[COLUMNS_MAX]; /* the columns that are not removed */
} Kept;

static bool column_is_zero(const Regression *regression, int32_t column)
{
    for (int32_t i = 0; i < regression->rows; i++)
        if (regression->x[i * regression->columns + column] != 0)
            return false;
    return true;
}

static Kept kept_at_first(const Regression *regression)
{
    Kept kept = {0};
    for (int32_t j = 0; j < regression->columns; j++)
        if (!column_is_zero(regression, j))
            kept.columns[kept.count++] = j;
    return kept;
}

static void kept_remove(Kept *kept, int32_t index)
{
    kept->count--;
    for (int32_t j = index; j < kept->count; j++)
        kept->columns[j] = kept->columns[j + 1];
}

static double sum_of_squares_of(const Regression *regression)
{
    double sum = 0;
    for (int32_t i = 0; i < regression->rows; i++)
        sum += regression->y[i] * regression->y[i];
    return sum;
}

/* Robust regression; plain least squares if there are no residuals or not enough rows for it. */
static bool fit_kept(const Regression *regression, const Kept *kept, gsl_vector *c)
{
    const size_t rows = (size_t)regression->rows, columns = (size_t)kept->count;
    if (rows < columns)
        return false;
    gsl_matrix *x = gsl_matrix_alloc(rows, columns);
    gsl_matrix *covariance = gsl_matrix_alloc(columns, columns);
    gsl_vector *y = gsl_vector_alloc(rows);
    for (size_t i = 0; i < rows; i++) {
        gsl_vector_set(y, i, regression->y[i]);
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(
                x, i, j, regression->x[i * (size_t)regression->columns + (size_t)kept->columns[j]]);
    }
    gsl_multifit_linear_workspace *plain = gsl_multifit_linear_alloc(rows, columns);
    double sum_of_squares;
    int error = gsl_multifit_linear(x, y, c, covariance, &sum_of_squares, plain);
    gsl_multifit_linear_free(plain);
    // Without residuals the weights would be 0 / 0.
    if (error == GSL_SUCCESS && rows > columns + 1 &&
        sum_of_squares > 1e-20 * sum_of_squares_of(regression)) {
        gsl_multifit_robust_workspace *work =
            gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, rows, columns);
        error = gsl_multifit_robust(x, y, c, covariance, work);
        if (error == GSL_EMAXITER)
            error = GSL_SUCCESS; // the last digits do not converge
        gsl_multifit_robust_free(work);
    }
    gsl_vector_free(y);
    gsl_matrix_free(covariance);
    gsl_matrix_free(x);
    for (size_t j = 0; j < columns && error == GSL_SUCCESS; j++)
        if (!isfinite(gsl_vector_get(c, j)))
            error = GSL_EDOM;
    return error == GSL_SUCCESS;
}

/* The coefficient whose term in the mean row is most negative; terms do not depend on units. -1: no
 * coefficient is negative. */
static int32_t most_negative(const Regression *regression, const Kept *kept, const gsl_vector *c)
{
    int32_t worst = -1;
    double least = 0;
    for (int32_t j = 0; j < kept->count; j++) {
        double sum = 0;
        for (int32_t i = 0; i < regression->rows; i++)
            sum += regression->x[i * regression->columns + kept->columns[j]];
        const double adds = sum * gsl_vector_get(c, (size_t)j);
        if (adds < least) {
            least = adds;
            worst = j;
        }
    }
    return worst;
}

bool regression_fit(const Regression *regression, double *coefficients)
{
    invariant(regression->columns <= COLUMNS_MAX);
    Kept kept = kept_at_first(regression);
    bool is_fitted = true;
    for (int32_t j = 0; j < regression->columns; j++)
        coefficients[j] = 0;
    gsl_error_handler_t *handler = gsl_set_error_handler_off(); // the error codes are checked
                                                                // instead
    while (is_fitted && kept.count > 0) {
        gsl_vector *c = gsl_vector_alloc((size_t)kept.count);
        is_fitted = fit_kept(regression, &kept, c);
        const int32_t negative = is_fitted ? most_negative(regression, &kept, c) : -1;
        for (int32_t j = 0; j < kept.count && is_fitted && negative < 0; j++)
            coefficients[kept.columns[j]] = gsl_vector_get(c, (size_t)j);
        gsl_vector_free(c);
        if (negative < 0)
            break;
        kept_remove(&kept, negative);
    }
    gsl_set_error_handler(handler);
    return is_fitted;
}

/* The table of known results, tests/theory/closed_forms.csv: model, parameters, metric, value, and
 * the formula or method that it was computed with. Times are in mean service times, unless the
 * metric names a unit. */
#ifndef TESTS_SUPPORT_CLOSED_FORMS_H
#define TESTS_SUPPORT_CLOSED_FORMS_H

/* The value of a row; fails the test if the table has no such row. */
double closed_form(const char *model, const char *parameters, const char *metric);

#endif

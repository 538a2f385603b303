/* The output of `trainyard compare --json` for a comparison, and for a table of measured steps:
 * compare_json of real/compare/print.h, and validation_json of real/compare/validation_print.h. */
#ifndef REAL_COMPARE_ANSWER_H
#define REAL_COMPARE_ANSWER_H

#include "sim/schema/field.h"

extern const ObjectType compare_answer_type;
extern const ObjectType validation_answer_type;

#endif

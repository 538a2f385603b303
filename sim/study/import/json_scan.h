/* A pass over JSON text without building a tree: the caller says what it expects next. For logs
 * whose tree would take many times their size; all other JSON is read by sim/json.
 *
 *     json_scan_open(&scan, '{');
 *     while (json_scan_key(&scan, &key))
 *         if (cell_is(key, "status")) json_scan_text(&scan, &status); else json_scan_skip(&scan);
 *
 * The first mistake stops the scan: `scan->status` then has a code and a place, and all functions
 * return false. */
#ifndef SIM_STUDY_IMPORT_JSON_SCAN_H
#define SIM_STUDY_IMPORT_JSON_SCAN_H

#include "sim/scenario/joblist/cells.h"

typedef struct {
    const char *source;
    const char *begin, *next, *end;
    Status status;
    bool is_first; /* no item of the innermost open array or object has been read */
} JsonScan;

JsonScan json_scan_begin(const char *source, const char *text, size_t length);
/* Takes an opening bracket, '{' or '['. */
bool json_scan_open(JsonScan *scan, char bracket);
/* Goes to the next member of the object and takes its key; false after the last, whose closing
 * bracket is taken, and after a mistake. */
bool json_scan_key(JsonScan *scan, Cell *key);
/* The same for the items of an array. */
bool json_scan_item(JsonScan *scan);
/* Takes a string, a number or a word (null, true, false) as it is written, escapes included.
 * `*is_string` may be NULL. */
bool json_scan_text(JsonScan *scan, Cell *text, bool *is_string);
/* The first byte of the next value; 0 at the end. */
char json_scan_peek(JsonScan *scan);
/* Passes a value of any kind. */
bool json_scan_skip(JsonScan *scan);
/* Whether only blanks are left; else a mistake. */
bool json_scan_end(JsonScan *scan);
/* Line and column of a byte of the text; takes time in proportion to its distance from the
 * begin. */
Place json_scan_place(const JsonScan *scan, const char *at);

#endif

/* How the list of a workload is drawn anew for each seed.
 *
 * The list is cut into pieces of equal length, such as weeks, from its begin. Each seed draws as
 * many pieces as the list has, with replacement, and strings them together: hours and weekdays keep
 * their load, and jobs that came together stay together. With a load of 1.3 another piece is drawn
 * for each place, and each of its jobs comes with a probability of 0.3. */
#ifndef SIM_CLOUD_SPEC_RESAMPLE_H
#define SIM_CLOUD_SPEC_RESAMPLE_H

#include <stdbool.h>

#include "sim/cloud/spec/job_list.h"

enum {
    RESAMPLE_LOAD_MOST = 100,
    RESAMPLE_PPM = 1000000,
    RESAMPLE_PIECES_LEAST = 2,
    RESAMPLE_PIECES_MOST = 1000000
};

typedef struct {
    int64_t piece_ns; /* 0: the list is replayed unchanged */
    int64_t load_ppm; /* jobs that come, as a multiple of those of the list; above 0 */
} Resample;

/* Pieces of the list. A last piece counts when at least nine tenths of it are before the last
 * submission: a draw of a piece that is emptier would have fewer jobs in its time than the list.
 * The jobs after the last piece are never drawn. */
static inline int64_t resample_pieces(const JobList *list, int64_t piece_ns)
{
    const int64_t length_ns = list->count > 0 ? list->submit_ns[list->count - 1] : 0;
    return length_ns / piece_ns + (length_ns % piece_ns >= piece_ns - piece_ns / 10);
}

/* Whether the list has enough pieces of this length, and not too many. */
static inline bool resample_is_possible(const JobList *list, int64_t piece_ns)
{
    const int64_t pieces = resample_pieces(list, piece_ns);
    return pieces >= RESAMPLE_PIECES_LEAST && pieces <= RESAMPLE_PIECES_MOST;
}

/* Pieces that are drawn for one place. */
static inline int64_t resample_layers(Resample resample)
{
    return (resample.load_ppm + RESAMPLE_PPM - 1) / RESAMPLE_PPM;
}

/* The first row that is submitted at `at_ns` or later; the number of rows: none is. */
static inline int64_t resample_row_at(const JobList *list, int64_t at_ns)
{
    int64_t low = 0, high = list->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list->submit_ns[middle] < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The GPUs times seconds that the jobs of each piece ask for: fills `gpu_s` [resample_pieces]. A
 * job whose GPUs are not known counts its nodes. */
static inline void resample_piece_demand(const JobList *list, int64_t piece_ns, double *gpu_s)
{
    const int64_t pieces = resample_pieces(list, piece_ns);
    for (int64_t piece = 0, row = 0; piece < pieces; piece++) {
        const int64_t end = resample_row_at(list, (piece + 1) * piece_ns);
        for (gpu_s[piece] = 0; row < end; row++) {
            const int64_t gpus = list->gpus != NULL ? job_list_known(list->gpus[row]) : 0;
            const int64_t nodes = list->nodes != NULL ? job_list_known(list->nodes[row]) : 1;
            gpu_s[piece] += (double)(gpus > 0 ? gpus : nodes) * (double)list->run_ns[row] * 1e-9;
        }
    }
}

/* The rows of the piece that has the most. */
static inline int64_t resample_piece_rows_most(const JobList *list, int64_t piece_ns)
{
    const int64_t pieces = resample_pieces(list, piece_ns);
    int64_t begin = 0, most = 0;
    for (int64_t piece = 0; piece < pieces; piece++) {
        const int64_t end = resample_row_at(list, (piece + 1) * piece_ns);
        most = end - begin > most ? end - begin : most;
        begin = end;
    }
    return most;
}

/* The most rows that a draw may have. */
static inline int64_t resample_rows_most(const JobList *list, Resample resample)
{
    return resample_piece_rows_most(list, resample.piece_ns) *
           resample_pieces(list, resample.piece_ns) * resample_layers(resample);
}

#endif

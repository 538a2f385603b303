#include "sim/scenario/joblist/columns.h"

const JobColumn job_columns[] = {
#define X(key, member, column_kind, of_words, lowest, highest, doc)                                \
    {.name = key,                                                                                  \
     .kind = COLUMN_##column_kind,                                                                 \
     .offset = offsetof(JobList, member),                                                          \
     .words = offsetof(JobList, of_words),                                                         \
     .least = lowest,                                                                              \
     .most = highest},
    JOB_COLUMNS(X)
#undef X
};

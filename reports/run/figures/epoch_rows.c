#include "reports/run/figures/epoch_rows.h"

#include "sim/base/units.h"

enum { ROWS_MAX = 200 };

EpochRows epoch_rows(int64_t epochs)
{
    EpochRows rows = {.epochs = epochs, .stride = (epochs - 1) / ROWS_MAX + 1};
    rows.count = (epochs - 1) / rows.stride + 1;
    return rows;
}

int64_t epoch_rows_epoch(const EpochRows *rows, int64_t row)
{
    return row + 1 < rows->count ? (row + 1) * rows->stride : rows->epochs;
}

int64_t epoch_rows_find(const EpochRows *rows, int64_t epoch)
{
    const int64_t row = (epoch - 1) / rows->stride;
    const bool has_row =
        epoch >= 1 && epoch <= rows->epochs && epoch_rows_epoch(rows, row) == epoch;
    return has_row ? row : -1;
}

PlotBand epoch_rows_band(const EpochRows *rows, int64_t row, Wide axis_begin, Wide axis_end)
{
    const Wide at = epoch_rows_epoch(rows, row), length = axis_end - axis_begin;
    const Wide from = row == 0 ? axis_begin : (epoch_rows_epoch(rows, row - 1) + at) * 50;
    const Wide to = row + 1 == rows->count ? axis_end : (at + epoch_rows_epoch(rows, row + 1)) * 50;
    return (PlotBand){(int64_t)((from - axis_begin) * PPM / length),
                      (int64_t)((to - axis_begin) * PPM / length)};
}

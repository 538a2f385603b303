/* The progress bar of Keras 2.2, as text.
 *
 *        3/1563 [..............................] - ETA: 55:05 - loss: 2.3232 - acc: 0.0938
 *     1563/1563 [==============================] - 143s 92ms/step - loss: ... - val_acc: 0.4512
 *
 * The form follows keras/utils/generic_utils.py (Progbar): a bar of 30, an ETA of (elapsed / done)
 * * left, running means of loss and accuracy, and spaces over the rest of a longer previous line.
 * All arithmetic is on integers: the same numbers give the same bytes on every machine. */
#ifndef SIM_FORMATS_KERAS_BAR_H
#define SIM_FORMATS_KERAS_BAR_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/units.h"

/* Progbar draws at most one update in this time, except the first and the last. */
#define KERAS_UPDATE_INTERVAL_NS (50 * NS_PER_MS)

typedef struct {
    int64_t current; /* of target; >= 1 */
    int64_t target;
    int64_t elapsed_ns;
} KerasProgress;

/* Millionths, not negative. */
typedef struct {
    int64_t loss_micro;
    int64_t accuracy_ppm;
} KerasMeans;

/* Enough for any of these lines, including the spaces that erase the line before; and for what
 * comes before an update. */
enum { KERAS_BAR_ROOM = 512, KERAS_REDRAW_ROOM = 512 };

/* The functions below write into `out`, which has room for KERAS_BAR_ROOM bytes, without a NUL.
 * They return the end of the text. */

/* The beginning of an update after a line of `width` characters: on a terminal as many backspaces
 * and a carriage return, elsewhere a line feed. Open MPI gives each rank a pseudo-terminal, so this
 * is a terminal for the ranks of mpirun, wherever their output goes. */
char *keras_redraw_put(char *out, bool is_terminal, int32_t width);

/* One update; ends in a line feed if it is the last. The caller writes keras_redraw_put before it.
 * `means` and `validation` may be NULL. `width` is the width of the previous line and becomes that
 * of this line. */
char *keras_bar_put(char *out, KerasProgress progress, const KerasMeans *means,
                    const KerasMeans *validation, int32_t *width);

/* The line of verbose=2 after an epoch, with its line feed: " - 143s - loss: 1.7 - acc: 0.37 -
 * val_loss: ...". `validation` may be NULL. */
char *keras_epoch_put(char *out, int64_t elapsed_ns, const KerasMeans *means,
                      const KerasMeans *validation);

/* "0.7312": millionths as Python prints a float, without trailing zeros but with at least one digit
 * after the point. */
char *keras_float_put(char *out, int64_t millionths);

#endif

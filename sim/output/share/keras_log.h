/* The output of a Keras 2.2 script that does not print to a terminal and whose ranks run under
 * mpirun.
 *
 * The form follows keras/utils/generic_utils.py (Progbar) and keras/callbacks.py (ProgbarLogger) of
 * Keras 2.2: before every update a line feed instead of a carriage return, a bar of 30, an ETA of
 * (elapsed / done) * left, running means of loss and accuracy, spaces over the rest of a longer
 * previous line. Two updates have at least 0.05 s between them, except the last one, which follows
 * the validation and shows the time of the whole epoch:
 *
 *        3/1563 [..............................] - ETA: 55:05 - loss: 2.3232 - acc: 0.0938
 *     1563/1563 [==============================] - 143s 92ms/step - loss: ... - val_acc: 0.4512
 *
 * The other lines are those of the Keras examples cifar10_cnn.py and mnist_cnn.py: download,
 * shapes, counts, epochs, the saved model, the evaluation. Every rank prints all of it, and
 * mpirun passes lines on as they arrive. The ranks finish a step together, and the order in
 * which they print is a random draw by address (RNG_STEP_ORDER). Text appears when it is
 * printed; in reality Python buffers plain prints into a pipe until the next update of a bar
 * flushes them. */
#ifndef SIM_OUTPUT_KERAS_LOG_H
#define SIM_OUTPUT_KERAS_LOG_H

#include "sim/output/share/emulated_log.h"

/* Standard output of the ranks. */
void keras_out_log(const JobView *view, RankSpan ranks, LogWriter *log);
/* Standard error: the backend, and the device lines of TensorFlow 1.8, as far as the catalogue
 * knows the device. */
void keras_error_log(const JobView *view, RankSpan ranks, LogWriter *log);

#endif

/* What a Keras 2.2 script prints when its output is no terminal and its ranks run under mpirun.
 *
 * Form, after keras/utils/generic_utils.py (Progbar) and keras/callbacks.py (ProgbarLogger) of
 * Keras 2.2: before every update a line feed instead of a carriage return, a bar of 30, an ETA of
 * (elapsed / done) * left, running means of loss and accuracy, spaces over what a longer line
 * before left; at most one update in 0.05 s except the last, which comes after the validation and
 * shows the time of the whole epoch:
 *
 *        3/1563 [..............................] - ETA: 55:05 - loss: 2.3232 - acc: 0.0938
 *     1563/1563 [==============================] - 143s 92ms/step - loss: ... - val_acc: 0.4512
 *
 * Around it what the Keras examples cifar10_cnn.py and mnist_cnn.py print: download, shapes,
 * counts, epochs, the saved model, the evaluation. Every rank prints all of it, and mpirun passes
 * lines on as they come: the ranks of one step finish together, and which is heard first is a
 * random draw by address (RNG_STEP_ORDER). Printed text is taken to appear at once; in fact Python
 * holds back plain prints into a pipe until the next update of a bar flushes them. */
#ifndef SIM_OUTPUT_KERAS_LOG_H
#define SIM_OUTPUT_KERAS_LOG_H

#include "sim/output/share/emulated_log.h"

/* Standard output of the ranks. */
void keras_out_log(const JobView *view, RankSpan ranks, LogWriter *log);
/* Standard error: which backend, and the device lines of TensorFlow 1.8, as far as the catalogue
 * knows the device. */
void keras_error_log(const JobView *view, RankSpan ranks, LogWriter *log);

#endif

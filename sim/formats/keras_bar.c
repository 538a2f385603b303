#include "sim/formats/keras_bar.h"

#include <string.h>

#include "sim/base/capped.h"

enum { BAR_WIDTH = 30 }; // Progbar's default

/* --- Digits --- */
/* Without printf: an emulated log can have 156,000 lines, and printf would take most of the
 * run's time. */

static char *put_string(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static int32_t digit_count(int64_t value)
{
    int32_t digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

/* `value` >= 0 in at least `width` places, filled on the left. */
static char *put_padded(char *out, int64_t value, int32_t width, char fill)
{
    int32_t digits = digit_count(value);
    for (; width > digits; width--)
        *out++ = fill;
    for (int32_t i = digits - 1; i >= 0; i--, value /= 10)
        out[i] = (char)('0' + value % 10);
    return out + digits;
}

static char *put_number(char *out, int64_t value)
{
    return put_padded(out, value, 0, ' ');
}

/* A mean of millionths as Progbar prints it: "%.4f", or "%.4e" up to 0.001. A tie goes to the even
 * digit, as in printf where the value is exact: 1 of 32 is 0.03125 and shows as 0.0312. */
static char *put_mean(char *out, int64_t millionths)
{
    if (millionths > 1000) {
        int64_t digits = millionths / 100;
        int64_t rest = millionths % 100;
        digits += rest > 50 || (rest == 50 && digits % 2 == 1);
        out = put_number(out, digits / 10000);
        *out++ = '.';
        return put_padded(out, digits % 10000, 4, '0');
    }
    if (millionths == 0)
        return put_string(out, "0.0000e+00");
    int32_t exponent = 7 - digit_count(millionths); // 1000 has 4 digits and is 1e-03
    int64_t mantissa = millionths;
    while (mantissa < 10000)
        mantissa *= 10;
    out = put_number(out, mantissa / 10000);
    *out++ = '.';
    out = put_padded(out, mantissa % 10000, 4, '0');
    out = put_string(out, "e-");
    return put_padded(out, exponent, 2, '0');
}

/* --- Progbar --- */

static char *put_bar(char *out, KerasProgress progress)
{
    out = put_padded(out, progress.current, digit_count(progress.target), ' ');
    *out++ = '/';
    out = put_number(out, progress.target);
    out = put_string(out, " [");
    int64_t done = progress.current < progress.target
                       ? mul_div(progress.current, BAR_WIDTH, progress.target)
                       : BAR_WIDTH;
    memset(out, '=', (size_t)done);
    memset(out + done, '.', (size_t)(BAR_WIDTH - done));
    if (done > 0 && progress.current < progress.target)
        out[done - 1] = '>';
    out += BAR_WIDTH;
    *out++ = ']';
    return out;
}

static char *put_eta(char *out, KerasProgress progress)
{
    int64_t eta_ns = capped_proportion(progress.elapsed_ns, progress.target - progress.current,
                                       progress.current);
    int64_t eta_s = eta_ns / NS_PER_S;
    out = put_string(out, " - ETA: ");
    if (eta_ns > 3600 * NS_PER_S) {
        out = put_number(out, eta_s / 3600);
        *out++ = ':';
        out = put_padded(out, eta_s % 3600 / 60, 2, '0');
        *out++ = ':';
        return put_padded(out, eta_s % 60, 2, '0');
    }
    if (eta_ns > 60 * NS_PER_S) {
        out = put_number(out, eta_s / 60);
        *out++ = ':';
        return put_padded(out, eta_s % 60, 2, '0');
    }
    out = put_number(out, eta_s);
    *out++ = 's';
    return out;
}

/* " - 143s" */
static char *put_seconds(char *out, int64_t elapsed_ns)
{
    out = put_string(out, " - ");
    out = put_number(out, (elapsed_ns + NS_PER_S / 2) / NS_PER_S);
    *out++ = 's';
    return out;
}

/* " - 143s 92ms/step" */
static char *put_total_time(char *out, KerasProgress progress)
{
    int64_t each_ns = progress.elapsed_ns / progress.current;
    out = put_seconds(out, progress.elapsed_ns);
    *out++ = ' ';
    if (each_ns >= NS_PER_S) {
        out = put_number(out, (each_ns + NS_PER_S / 2) / NS_PER_S);
        return put_string(out, "s/step");
    }
    if (each_ns >= NS_PER_MS) {
        out = put_number(out, (each_ns + NS_PER_MS / 2) / NS_PER_MS);
        return put_string(out, "ms/step");
    }
    out = put_number(out, (each_ns + NS_PER_US / 2) / NS_PER_US);
    return put_string(out, "us/step");
}

static char *put_means(char *out, const char *prefix, KerasMeans means)
{
    out = put_string(out, " - ");
    out = put_string(out, prefix);
    out = put_string(out, "loss: ");
    out = put_mean(out, means.loss_micro);
    out = put_string(out, " - ");
    out = put_string(out, prefix);
    out = put_string(out, "acc: ");
    return put_mean(out, means.accuracy_ppm);
}

char *keras_redraw_put(char *out, bool is_terminal, int32_t width)
{
    if (!is_terminal) {
        *out++ = '\n';
        return out;
    }
    memset(out, '\b', (size_t)width);
    out += width;
    *out++ = '\r';
    return out;
}

char *keras_bar_put(char *out, KerasProgress progress, const KerasMeans *means,
                    const KerasMeans *validation, int32_t *width)
{
    const char *line = out;
    bool is_last = progress.current >= progress.target;
    out = put_bar(out, progress);
    out = is_last ? put_total_time(out, progress) : put_eta(out, progress);
    if (means)
        out = put_means(out, "", *means);
    if (validation)
        out = put_means(out, "val_", *validation);
    int32_t now_width = (int32_t)(out - line);
    for (int32_t i = now_width; i < *width; i++)
        *out++ = ' ';
    *width = now_width;
    if (is_last)
        *out++ = '\n';
    return out;
}

char *keras_epoch_put(char *out, int64_t elapsed_ns, const KerasMeans *means,
                      const KerasMeans *validation)
{
    out = put_seconds(out, elapsed_ns);
    out = put_means(out, "", *means);
    if (validation)
        out = put_means(out, "val_", *validation);
    *out++ = '\n';
    return out;
}

/* --- Scores --- */

char *keras_float_put(char *out, int64_t millionths)
{
    out = put_number(out, millionths / 1000000);
    *out++ = '.';
    out = put_padded(out, millionths % 1000000, 6, '0');
    while (out[-1] == '0' && out[-2] != '.')
        out--;
    return out;
}

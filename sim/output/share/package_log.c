#include "sim/output/share/package_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/units.h"

/* --- Steps of a command line --- */

typedef enum { STEP_UPDATE, STEP_INSTALL, STEP_PIP, STEP_OTHER } StepKind;

enum { STEPS_MAX = 16, WORDS_MAX = 64, NAME_MAX_BYTES = 64 };

typedef struct {
    StepKind kind;
    bool is_apt; /* `apt`, which warns of scripts, and not `apt-get` */
    int32_t count;
    char names[WORDS_MAX][NAME_MAX_BYTES]; /* the packages to install */
} Step;

/* Reads the next word of `*at`, cut at NAME_MAX_BYTES; false at the end of the step. */
static bool next_word(const char **at, char word[NAME_MAX_BYTES])
{
    static const char ends[] = ";&|\n";
    *at += strspn(*at, " \t");
    size_t length = strcspn(*at, " \t;&|\n");
    if (length == 0 || strchr(ends, **at) != NULL)
        return false;
    snprintf(word, NAME_MAX_BYTES, "%.*s", (int)length, *at);
    *at += length;
    return true;
}

static bool is_option(const char *word)
{
    return word[0] == '-';
}

/* Reads one step, up to the separator after it. */
static void read_step(const char **at, Step *step)
{
    char tool[NAME_MAX_BYTES] = "", verb[NAME_MAX_BYTES] = "", word[NAME_MAX_BYTES];
    step->kind = STEP_OTHER;
    step->count = 0;
    while (next_word(at, word)) {
        if (tool[0] == '\0' && strcmp(word, "sudo") != 0)
            memcpy(tool, word, sizeof tool);
        else if (tool[0] != '\0' && verb[0] == '\0' && !is_option(word))
            memcpy(verb, word, sizeof verb);
        else if (tool[0] != '\0' && !is_option(word) && step->count < WORDS_MAX)
            memcpy(step->names[step->count++], word, sizeof word);
    }
    *at += strspn(*at, " \t;&|\n");
    const bool is_pip = strncmp(tool, "pip", 3) == 0;
    const bool is_install = strcmp(verb, "install") == 0 && step->count > 0;
    step->is_apt = strcmp(tool, "apt") == 0;
    if (is_pip && is_install)
        step->kind = STEP_PIP;
    else if ((step->is_apt || strcmp(tool, "apt-get") == 0) && is_install)
        step->kind = STEP_INSTALL;
    else if ((step->is_apt || strcmp(tool, "apt-get") == 0) && strcmp(verb, "update") == 0)
        step->kind = STEP_UPDATE;
}

bool is_package_command(const char *command)
{
    Step step;
    int32_t count = 0;
    for (const char *at = command; *at != '\0'; count++) {
        read_step(&at, &step);
        if (step.kind == STEP_OTHER || count >= STEPS_MAX)
            return false;
    }
    return count > 0;
}

/* --- apt --- */

typedef struct {
    const char *name, *version;
    int32_t kb; /* of the archive */
} Package;

/* The packages on which mpi-default-dev and mpi-default-bin depend in Ubuntu 16.04. */
static const Package mpi_packages[] = {
    {"libnuma1", "2.0.11-1ubuntu1.1", 21},
    {"libpciaccess0", "0.13.4-1", 18},
    {"libxnvctrl0", "361.42-0ubuntu1", 12},
    {"ocl-icd-libopencl1", "2.2.8-1", 31},
    {"libltdl7", "2.4.6-0.1", 38},
    {"libltdl-dev", "2.4.6-0.1", 162},
    {"libibverbs1", "1.1.8-1.1ubuntu2", 25},
    {"libibverbs-dev", "1.1.8-1.1ubuntu2", 69},
    {"libhwloc5", "1.11.2-3", 92},
    {"libhwloc-plugins", "1.11.2-3", 10},
    {"libhwloc-dev", "1.11.2-3", 140},
    {"libnuma-dev", "2.0.11-1ubuntu1.1", 32},
    {"autotools-dev", "20150820.1", 39},
    {"autoconf", "2.69-9", 321},
    {"automake", "1:1.15-4ubuntu1", 510},
    {"m4", "1.4.17-5", 195},
    {"libsigsegv2", "2.10-4", 14},
    {"libtool", "2.4.6-0.1", 193},
    {"libgfortran3", "5.4.0-6ubuntu1~16.04.10", 260},
    {"libnl-3-200", "3.2.27-1ubuntu0.16.04.1", 52},
    {"libnl-route-3-200", "3.2.27-1ubuntu0.16.04.1", 123},
    {"librdmacm1", "1.0.21-1", 48},
    {"libcr0", "0.8.5-2.3", 9},
    {"libcr-dev", "0.8.5-2.3", 15},
    {"libpsm-infinipath1", "3.3+19.g67c0807.open-3", 109},
    {"libfabric1", "1.2.0-2ubuntu1", 173},
    {"libopenmpi1.10", "1.10.2-8ubuntu1", 1906},
    {"openmpi-common", "1.10.2-8ubuntu1", 158},
    {"openmpi-bin", "1.10.2-8ubuntu1", 74},
    {"libopenmpi-dev", "1.10.2-8ubuntu1", 839},
};
enum { MPI_PACKAGES = sizeof mpi_packages / sizeof *mpi_packages };

/* A list of packages to be installed. */
typedef struct {
    int32_t count;
    Package items[MPI_PACKAGES + WORDS_MAX];
} Packages;

static void collect(const Step *step, Packages *list)
{
    static const char of_mpi[] = "mpi-default";
    bool has_mpi = false;
    list->count = 0;
    for (int32_t i = 0; i < step->count; i++)
        has_mpi |= strncmp(step->names[i], of_mpi, sizeof of_mpi - 1) == 0;
    for (int32_t i = 0; has_mpi && i < MPI_PACKAGES; i++)
        list->items[list->count++] = mpi_packages[i];
    for (int32_t i = 0; i < step->count; i++) {
        const bool is_mpi = strncmp(step->names[i], of_mpi, sizeof of_mpi - 1) == 0;
        list->items[list->count++] =
            (Package){step->names[i], is_mpi ? "1.4" : "1.0-1", is_mpi ? 3 : 100};
    }
}

static void put_states(LogWriter *log)
{
    log_text(log, "Reading package lists...\nBuilding dependency tree...\n"
                  "Reading state information...\n");
}

static void put_update(LogWriter *log)
{
    static const char *const suites[] = {"xenial-security", "xenial", "xenial-updates",
                                         "xenial-backports"};
    static const char *const parts[] = {"universe Sources", "main amd64 Packages",
                                        "restricted amd64 Packages", "universe amd64 Packages",
                                        "multiverse amd64 Packages"};
    int32_t number = 1;
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        log_printf(log, "Get:%d http://%s.ubuntu.com/ubuntu %s InRelease [%d kB]\n", (int)number++,
                   i == 0 ? "security" : "archive", suites[i], 107 + (int)i * 2);
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            log_printf(log, "Get:%d http://%s.ubuntu.com/ubuntu %s/%s [%d kB]\n", (int)number++,
                       i == 0 ? "security" : "archive", suites[i], parts[k], 13 + 171 * (int)k);
    log_text(log, "Fetched 25.1 MB in 4s (5,611 kB/s)\n");
    put_states(log);
    log_text(log, "12 packages can be upgraded. Run 'apt list --upgradable' to see them.\n");
}

/* Names in lines of at most 78 characters, as apt prints them. */
static void put_names(LogWriter *log, const Packages *list, int32_t count)
{
    enum { LINE = 78 };
    size_t used = LINE;
    for (int32_t i = 0; i < count; i++) {
        const size_t length = strlen(list->items[i].name);
        if (used + 1 + length > LINE) {
            log_text(log, i == 0 ? "  " : "\n  ");
            used = 2;
        } else {
            log_text(log, " ");
            used++;
        }
        log_text(log, list->items[i].name);
        used += length;
    }
    log_text(log, "\n");
}

static void put_downloads(LogWriter *log, const Packages *list)
{
    int64_t kb = 0;
    for (int32_t i = 0; i < list->count; i++)
        kb += list->items[i].kb;
    log_printf(log,
               "0 upgraded, %d newly installed, 0 to remove and 12 not upgraded.\n"
               "Need to get %" PRId64 ",%03" PRId64 " kB of archives.\n"
               "After this operation, %" PRId64 ".%" PRId64
               " MB of additional disk space will be used.\n",
               (int)list->count, kb / 1000, kb % 1000, kb * 4 / 1000, kb * 4 / 100 % 10);
    for (int32_t i = 0; i < list->count; i++)
        log_printf(
            log, "Get:%d http://archive.ubuntu.com/ubuntu xenial/main amd64 %s amd64 %s [%d kB]\n",
            (int)i + 1, list->items[i].name, list->items[i].version, (int)list->items[i].kb);
    log_printf(log, "Fetched %" PRId64 ",%03" PRId64 " kB in 1s (4,305 kB/s)\n", kb / 1000,
               kb % 1000);
}

static void put_install(LogWriter *log, const Step *step)
{
    Packages list;
    collect(step, &list);
    put_states(log);
    if (list.count > step->count) {
        log_text(log, "The following additional packages will be installed:\n");
        put_names(log, &list, list.count - step->count);
    }
    log_text(log, "The following NEW packages will be installed:\n");
    put_names(log, &list, list.count);
    put_downloads(log, &list);
    for (int32_t i = 0; i < list.count; i++) {
        const Package *package = &list.items[i];
        log_printf(log, "Selecting previously unselected package %s.\n", package->name);
        if (i == 0)
            log_text(log, "(Reading database ... 18276 files and directories currently "
                          "installed.)\n");
        log_printf(log, "Preparing to unpack .../%s_%s_amd64.deb ...\nUnpacking %s (%s) ...\n",
                   package->name, package->version, package->name, package->version);
    }
    log_text(log, "Processing triggers for libc-bin (2.23-0ubuntu10) ...\n");
    for (int32_t i = 0; i < list.count; i++)
        log_printf(log, "Setting up %s (%s) ...\n", list.items[i].name, list.items[i].version);
    log_text(log, "Processing triggers for libc-bin (2.23-0ubuntu10) ...\n");
}

/* --- pip --- */

typedef struct {
    const char *name, *file;
    bool is_built; /* from its sources */
} Wheel;

static const Wheel wheels[] = {
    {"keras", "Keras-2.2.0-py2.py3-none-any.whl (300kB)", false},
    {"horovod", "horovod-0.13.10.tar.gz (71kB)", true},
};

static void put_pip(LogWriter *log, const Step *step)
{
    static const char host[] = "https://files.pythonhosted.org/packages/68/12/"
                               "4cabc5c01451eb3b413d19ea151f36e33026fc0efb932bf51bcaf54acbf5";
    for (int32_t i = 0; i < step->count; i++) {
        const char *name = step->names[i];
        const Wheel *wheel = NULL;
        for (size_t k = 0; k < sizeof wheels / sizeof *wheels; k++)
            if (strcmp(wheels[k].name, name) == 0)
                wheel = &wheels[k];
        log_printf(log, "Collecting %s\n", name);
        if (wheel != NULL)
            log_printf(log, "  Downloading %s/%s\n", host, wheel->file);
        else
            log_printf(log, "  Downloading %s/%s-1.0-py2.py3-none-any.whl (100kB)\n", host, name);
        if (wheel != NULL && wheel->is_built)
            log_printf(log,
                       "Building wheels for collected packages: %s\n"
                       "  Running setup.py bdist_wheel for %s: started\n"
                       "  Running setup.py bdist_wheel for %s: finished with status 'done'\n",
                       name, name, name);
    }
    log_text(log, "Installing collected packages: ");
    for (int32_t i = 0; i < step->count; i++)
        log_printf(log, "%s%s", i > 0 ? ", " : "", step->names[i]);
    log_text(log, "\nSuccessfully installed");
    for (int32_t i = 0; i < step->count; i++)
        log_printf(log, " %s", step->names[i]);
    log_text(log, "\n");
}

/* --- Logs --- */

static void put_step(const Step *step, LogWriter *log)
{
    switch (step->kind) {
    case STEP_UPDATE:
        put_update(log);
        break;
    case STEP_INSTALL:
        put_install(log, step);
        break;
    case STEP_PIP:
        put_pip(log, step);
        break;
    case STEP_OTHER:
        break;
    }
}

static void put_step_errors(const Step *step, LogWriter *log)
{
    if (step->is_apt)
        log_text(log, "\nWARNING: apt does not have a stable CLI interface. Use with caution in "
                      "scripts.\n\n");
    if (step->kind == STEP_INSTALL)
        log_text(log,
                 "debconf: delaying package configuration, since apt-utils is not installed\n");
}

static int32_t count_steps(const char *command)
{
    Step step;
    int32_t count = 0;
    for (const char *at = command; *at != '\0'; count++)
        read_step(&at, &step);
    return count;
}

static void put_steps(const char *command, int64_t begin_ns, int64_t end_ns,
                      void (*put)(const Step *step, LogWriter *log), LogWriter *log)
{
    const int32_t count = count_steps(command);
    int32_t number = 0;
    Step step;
    for (const char *at = command; *at != '\0'; number++) {
        read_step(&at, &step);
        const bool is_ended = end_ns != INT64_MAX;
        const int64_t at_ns =
            is_ended ? begin_ns + mul_div(end_ns - begin_ns, number, count) : begin_ns;
        if ((number > 0 && !is_ended) || !log_at(log, at_ns))
            return;
        put(&step, log);
    }
}

void package_out_log(const char *command, int64_t begin_ns, int64_t end_ns, LogWriter *log)
{
    put_steps(command, begin_ns, end_ns, put_step, log);
}

void package_error_log(const char *command, int64_t begin_ns, int64_t end_ns, LogWriter *log)
{
    put_steps(command, begin_ns, end_ns, put_step_errors, log);
}

#include "tools/trainyard/real/calibrate_options.h"

#include "trainer/compute/backend_words.h"

#define OWNER CalibrateOptions
static const Field options[] = {
    OPTION_FLAG(0, "quick", is_quick,
                "measure fewer sizes, in about three minutes, with larger errors"),
    OPTION_FILE('o', "output", output, "FILE",
                "write the catalogue to FILE (scenarios/catalog/local-HOST.json if that folder "
                "exists, else local-HOST.json)"),
    OPTION_INTEGER(
        0, "ranks", ranks, "N", 1, 1024,
        "measure all-reduces over 2, 4, ... and N ranks (the number of GPUs, or of cores "
        "but at least 4)"),
    OPTION_INTEGER(0, "rounds", rounds, "N", 1, 1000,
                   "measure everything N times (3, or 2 with --quick)"),
    OPTION_TEXT(0, "name", name, "NAME", "call the machine NAME (its host name)"),
    OPTION_CHOICE(0, "backend", backend, "NAME", backend_words, "compute with backend NAME (auto)"),
    OPTION_FILE(0, "from", from, "FILE",
                "measure nothing; fit the measurements of an earlier calibration"),
    OPTION_FILE(0, "more", more, "FILE",
                "fit the new measurements together with those of an earlier calibration"),
    OPTION_FILE(
        0, "check", check, "FILE",
        "compare with the catalogue FILE of an earlier calibration; exit code 1 when a value "
        "has moved by more than its error"),
    {0},
};
#undef OWNER

const OptionTable calibrate_option_table = {
    .name = "calibrate",
    .operands = "",
    .summary = "Measures this machine and writes its catalogue, from which the simulator predicts "
               "the real trainer.",
    .details =
        "Measures in several rounds, since machines are noisy. A round runs bench-training on one "
        "rank, for the tutorial's network and small probes at several batch sizes in fp32 and "
        "bf16. It also runs several such ranks at the same time, runs bench-allreduce under "
        "mpirun, and writes a file as large as a checkpoint. Run nothing else meanwhile. Training "
        "on several ranks is not measured: the simulator predicts it.\n"
        "\n"
        "The measurements are stored in FILE.measurements.json next to FILE.json. Each value of "
        "the catalogue has an error: another calibration should not move a time by more. "
        "A scenario lists this catalogue after the catalogue of a cloud, and trains with framework "
        "\"trainyard\", exchange \"trainyard-mpi\", jitter \"local\" and VM size \"local\", as "
        "scenarios/local/tutorial does.\n"
        "\n"
        "After Ctrl-C or SIGTERM the files have the whole rounds that were measured; without one, "
        "nothing is written. The exit code is 128 plus the signal's number. With --check alone "
        "nothing is compared then.",
    .example = "trainyard calibrate\n"
               "trainyard calibrate --quick -o local.json\n"
               "trainyard calibrate --from local.measurements.json -o again.json\n"
               "trainyard calibrate --rounds 1 --more local.measurements.json -o local.json\n"
               "trainyard calibrate --check local.json",
    .options = options,
};

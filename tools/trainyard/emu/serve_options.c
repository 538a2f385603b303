#include "tools/trainyard/emu/serve_options.h"

#include "real/launch/hand_off.h"
#include "sim/base/units.h"

// Above those that need privileges, below those that Linux hands out by itself, and none of those
// that browsers and Node refuse (WHATWG Fetch, "bad port").
enum { TLS_PORT = 10443, PLAIN_PORT = 10444, PORT_MAX = 65535 };

const ServeOptions serve_option_defaults = {
    .address = "127.0.0.1",
    .tls_port = TLS_PORT,
    .plain_port = PLAIN_PORT,
    .has_proxy = true,
    .state_folder = "trainyard-state",
    .clock = "real",
    .seed = -1,
    .backend = -1,
    .job_time_limit_ns = NS_PER_HOUR,
    .job_output_limit_bytes = INT64_C(1) << 30,
};

static const char *const real_words[] = {
#define X(name, word) word,
    HAND_OFF_BACKENDS(X)
#undef X
        NULL};

static const Option options[] = {
    {.name = "state",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "keep everything in DIR, and go on with what is there (trainyard-state)",
     .offset = offsetof(ServeOptions, state_folder)},
    {.name = "clock",
     .kind = OPTION_TEXT,
     .argument = "CLOCK",
     .help = "real time, xN for N simulated seconds a second, manual to move it by request, or "
             "auto to jump to what a client waits for (real)",
     .offset = offsetof(ServeOptions, clock)},
    {.name = "scenario",
     .kind = OPTION_FILE,
     .argument = "FILE",
     .help = "begin a new state with the world of FILE (an empty subscription)",
     .offset = offsetof(ServeOptions, scenario)},
    {.name = "seed",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "begin a new state with N instead of the scenario's seed",
     .offset = offsetof(ServeOptions, seed),
     .maximum = INT64_C(1) << 53},
    {.name = "files",
     .kind = OPTION_FLAG,
     .help = "serve Azure Files alone, with an account to begin with",
     .offset = offsetof(ServeOptions, is_files_only)},
    {.name = "run-jobs",
     .kind = OPTION_FLAG,
     .help = "run the commands of jobs for real, as you, on this machine",
     .offset = offsetof(ServeOptions, runs_jobs)},
    {.name = "real",
     .kind = OPTION_CHOICE,
     .argument = "WHERE",
     .help = "let the trainer run jobs that train a network which it knows, on this machine",
     .offset = offsetof(ServeOptions, backend),
     .choices = real_words},
    {.name = "data",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "let them train on CIFAR-10 in DIR (where the job says that its data is)",
     .offset = offsetof(ServeOptions, data_folder)},
    {.name = "job-time-limit",
     .kind = OPTION_DURATION,
     .argument = "TIME",
     .help = "with --run-jobs, --real: end what runs longer, whatever its maxWallClockTime (1h)",
     .offset = offsetof(ServeOptions, job_time_limit_ns)},
    {.name = "job-output-limit",
     .kind = OPTION_SIZE,
     .argument = "SIZE",
     .help = "with --run-jobs, --real: end what has written more, looked at five times a second "
             "(1GiB)",
     .offset = offsetof(ServeOptions, job_output_limit_bytes)},
    {.name = "listen",
     .kind = OPTION_TEXT,
     .argument = "ADDR",
     .help = "listen there (127.0.0.1)",
     .offset = offsetof(ServeOptions, address)},
    {.name = "port",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "listen for TLS on port N (10443; 0: any free one)",
     .offset = offsetof(ServeOptions, tls_port),
     .maximum = PORT_MAX},
    {.name = "plain-port",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "listen for plain HTTP and the proxy on port N, and on N + 1 for az without a proxy "
             "(10444; 0: any free ones)",
     .offset = offsetof(ServeOptions, plain_port),
     .maximum = PORT_MAX - 1},
    {.name = "no-proxy",
     .kind = OPTION_FLAG_OFF,
     .help = "be no CONNECT proxy for the names of storage accounts",
     .offset = offsetof(ServeOptions, has_proxy)},
    {.name = "ready-file",
     .kind = OPTION_FILE,
     .argument = "FILE",
     .help = "write addresses and ids as JSON to FILE as soon as clients may come",
     .offset = offsetof(ServeOptions, ready_file)},
    {.name = "json",
     .kind = OPTION_FLAG,
     .help = "print the same JSON instead of what to do next",
     .offset = offsetof(ServeOptions, is_json)},
    {.name = "verbose",
     .letter = 'v',
     .kind = OPTION_FLAG,
     .help = "print a line for each request on stderr",
     .offset = offsetof(ServeOptions, is_verbose)},
    {.name = "i-know-this-is-not-secure",
     .kind = OPTION_FLAG,
     .help = "allow --listen on an address that others than this machine's users reach",
     .offset = offsetof(ServeOptions, is_open)},
    {0},
};

const OptionTable serve_option_table = {
    .name = "serve",
    .operands = "",
    .summary = "Lets the Azure CLI and SDKs talk to a simulated cloud on this machine.",
    .details =
        "Azure Resource Manager, Batch AI and Azure Files, as the unmodified clients speak to "
        "them, over a world in simulated time. `trainyard az-env` prints what a shell needs for "
        "them. All that was acknowledged outlives a crash.\n"
        "\n"
        "Nobody's password is checked: whoever reaches the ports may do everything. Web pages may "
        "not.\n"
        "\n"
        "Jobs are emulated. With --run-jobs those that are submitted run for real: /bin/sh -c with "
        "the job's command line, in a folder of its own below the state folder, with the variables "
        "of Batch AI and the mounted shares as folders; what it writes there is on the shares. "
        "That is no sandbox: a job can do whatever you can. Therefore only on loopback, and not "
        "where you share the machine with people you do not trust. While a command runs, time goes "
        "at most one second a second and no clock jumps, so that a job lasts as long in the world "
        "as on the machine. Containers are not started, and secrets are not kept, so that jobs do "
        "not get them.\n"
        "\n"
        "--real hands jobs whose command line matches a \"program\" of the scenario that trains a "
        "network which `trainyard train` knows to that, as `trainyard run --real` does: as many "
        "ranks as the job has processes, whatever its toolkit, on this machine. No command line of "
        "theirs is run. All other jobs are emulated, or with --run-jobs run.\n"
        "\n"
        "Exit codes: 0 after Control-C or SIGTERM, 2 for wrong input, 3 when the machine fails.",
    .example = "trainyard serve --clock x60\n"
               "trainyard serve --state /tmp/ci --port 0 --plain-port 0 --ready-file ready.json",
    .options = options,
};

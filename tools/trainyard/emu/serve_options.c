#include "tools/trainyard/emu/serve_options.h"

#include "real/launch/hand_off.h"
#include "sim/base/units.h"

// Above the privileged ports, below Linux's ephemeral ports, and not among those that browsers and
// Node refuse (WHATWG Fetch, "bad port").
enum { TLS_PORT = 10443, PLAIN_PORT = 10444, PORT_MAX = 65535 };

const ServeOptions serve_option_defaults = {
    .address = "127.0.0.1",
    .tls_port = TLS_PORT,
    .plain_port = PLAIN_PORT,
    .has_proxy = true,
    .state_folder = "trainyard-state",
    .clock = "real",
    .fork = FORK_OPTIONS_NONE,
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

#define OWNER ServeOptions
static const Field options[] = {
    OPTION_FOLDER(
        0, "state", state_folder, "DIR",
        "keep the state in DIR, and continue with a state that is there (trainyard-state)"),
    OPTION_FLAG(0, "recover", recovers,
                "continue with the whole part of a damaged state, and list what is lost"),
    OPTION_FOLDER(0, "fork", fork_folder, "DIR",
                  "make the folder of --state: continue the session in DIR, which is not changed"),
    OPTIONS_OF_FORK(fork, "with --fork: continue from the simulated time TIME (its present)"),
    OPTION_TEXT(0, "clock", clock, "CLOCK",
                "real time, xN for N simulated seconds a second, manual to move it by request, or "
                "auto to jump to what a client waits for (real)"),
    OPTION_FILE(0, "scenario", scenario, "FILE",
                "begin a new state with the world of FILE (an empty subscription)"),
    OPTION_INTEGER(0, "seed", seed, "N", 0, SEED_MOST,
                   "begin a new state with N instead of the scenario's seed"),
    OPTION_FILE(0, "catalog", catalog, "FILE",
                "begin a new state with the catalogue FILE after those of the scenario: container "
                "images, VM sizes, times of the service"),
    OPTIONS_OF_CHANGES(changes),
    OPTION_TEXTS(
        0, "program", programs, "GLOB=SCRIPT",
        "let jobs whose command line matches GLOB do what the simple commands of SCRIPT do; "
        "of several the last that matches"),
    OPTION_FILE(0, "programs", programs_file, "FILE",
                "the same for all programs in FILE, a JSON array as a scenario's \"programs\""),
    OPTION_FLAG(0, "strict", is_strict,
                "refuse jobs of which nothing says what they do (they take a time of the "
                "catalogue)"),
    OPTION_FLAG(0, "files", is_files_only,
                "serve Azure Files alone, with an account to begin with"),
    OPTION_FLAG(0, "run-jobs", runs_jobs,
                "run the commands of jobs for real, as you, on this machine"),
    OPTION_CHOICE(0, "real", backend, "WHERE", real_words,
                  "let the trainer run jobs that train a network which it knows, on this machine"),
    OPTION_FOLDER(0, "data", data_folder, "DIR",
                  "let them train on CIFAR-10 in DIR (where the job says that its data is)"),
    OPTION_DURATION(
        0, "job-time-limit", job_time_limit_ns, "TIME",
        "with --run-jobs, --real: end what runs longer, whatever its maxWallClockTime (1h)"),
    OPTION_BYTES(
        0, "job-output-limit", job_output_limit_bytes, "SIZE",
        "with --run-jobs, --real: end what has written more, looked at five times a second "
        "(1GiB)"),
    OPTION_TEXT(0, "listen", address, "ADDR", "listen there (127.0.0.1)"),
    OPTION_INTEGER(0, "port", tls_port, "N", 0, PORT_MAX,
                   "listen for TLS on port N (10443; 0: any free one)"),
    OPTION_INTEGER(
        0, "plain-port", plain_port, "N", 0, PORT_MAX - 1,
        "listen for plain HTTP and the proxy on port N, and on N + 1 for az without a proxy "
        "(10444; 0: any free ones)"),
    OPTION_FLAG_OFF(0, "no-proxy", has_proxy,
                    "be no CONNECT proxy for the names of storage accounts"),
    OPTION_FILE(0, "ready-file", ready_file, "FILE",
                "write addresses and ids as JSON to FILE as soon as "
                "clients may come; FILE is removed at the end"),
    OPTION_FLAG(0, "json", is_json, "print the same JSON instead of what to do next"),
    OPTION_FLAG('v', "verbose", is_verbose, "print a line for each request on stderr"),
    OPTION_FLAG(0, "i-know-this-is-not-secure", is_open,
                "allow --listen on an address that other machines can reach"),
    {0},
};
#undef OWNER

const OptionTable serve_option_table = {
    .name = "serve",
    .operands = "",
    .summary = "Lets the Azure CLI and SDKs talk to a simulated cloud on this machine.",
    .details =
        "Emulates Azure Resource Manager, Batch AI and Azure Files for unmodified clients, over a "
        "world in simulated time. `trainyard az-env` prints the variables that they need. Every "
        "acknowledged write survives a crash.\n"
        "\n"
        "A state that has lost something (a damaged or missing log, a database that is cut off, "
        "missing contents) is refused. With --recover the emulator continues with the whole part, "
        "says on stderr what is lost, and keeps the damaged files in the folder lost of the state. "
        "Contents that belong to no file, as a kill may leave them, are kept there too.\n"
        "\n"
        "--fork DIR --state NEW makes the new state NEW, which continues the session in DIR on its "
        "own, with copies of its files: from its present, or from the earlier time --fork-at, if "
        "no client has changed files since. --fork-seed and --fork-policy let what follows differ, "
        "as with `trainyard run`. An emulator that serves DIR continues: it is asked for the copy. "
        "Later starts of NEW take no --fork.\n"
        "\n"
        "Passwords are not checked: any process that can reach the ports has full access. Web "
        "pages have none.\n"
        "\n"
        "Jobs are emulated: programs of the scenario by their model, simple commands as in a "
        "shell. All other command lines are accepted, as the service did, and take a time of the "
        "catalogue (service/unknown_program). To give one a behaviour, use --program or "
        "--programs, POST the same to /trainyard/programs, or set the variables "
        "TRAINYARD_DURATION (\"20m\") and TRAINYARD_EXIT_CODE in the job.\n"
        "\n"
        "With --run-jobs, jobs that are submitted run for real: /bin/sh -c "
        "with the job's command line, in a new folder below the state folder, with the "
        "variables of Batch AI and the mounted shares as folders; files written there are on "
        "the shares. This is not a sandbox: a job can do whatever you can. So it works on "
        "loopback only, and must not be used on a machine that you share with people you do not "
        "trust. While a command runs, time passes at most one second a second and no clock "
        "jumps, so that a job lasts as long in the world as on the machine. Containers are not "
        "started. Secrets are kept only in the state folder, and jobs get their values.\n"
        "\n"
        "--real hands a job to the trainer, as `trainyard run --real` does, if its command line "
        "matches a \"program\" of the scenario that trains a network which `trainyard train` "
        "knows: with as many ranks as the job has processes, whatever its toolkit, on this "
        "machine. The command line of such a job is not run. If the program saves on notice, "
        "its ranks get notice when a node of the job is going to be preempted: they write a "
        "checkpoint and end, and the job's next attempt continues at that step. All other jobs "
        "are emulated, or run with --run-jobs.\n"
        "\n"
        "Exit codes: 0 after Control-C or SIGTERM, 2 for wrong input, 3 when the machine fails.",
    .example = "trainyard serve --clock x60\n"
               "trainyard serve --program '*/train.py*=echo epoch 1; sleep 20m; exit 0'\n"
               "trainyard serve --state what-if --fork trainyard-state --fork-seed 7\n"
               "trainyard serve --state /tmp/ci --port 0 --plain-port 0 --ready-file ready.json",
    .options = options,
};

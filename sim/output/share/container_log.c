#include "sim/output/share/container_log.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/name_table.h"
#include "sim/cloud/job/environment.h"

/* --- Names --- */

/* Prints up to 64 hexadecimal digits that depend on `name` and `number` alone. */
static void put_digest(LogWriter *log, const char *name, int32_t number, int32_t digits)
{
    char text[64];
    uint64_t word = name_hash(name) + (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15);
    for (int32_t i = 0; i < digits; i++) {
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); // Knuth
        text[i] = "0123456789abcdef"[word >> 60];
    }
    log_bytes(log, text, (size_t)digits);
}

/* The layers of an image, assumed from its size: 5 of a bare system, and one for each 200 MB. */
static int32_t container_layers(const ContainerImage *image)
{
    const int64_t layer_bytes = 200000000, of_system = 5, most = 40;
    const int64_t layers = of_system + image->compressed_bytes / layer_bytes;
    return (int32_t)(layers < most ? layers : most);
}

/* --- Pull --- */

static void put_layers(const ContainerImage *image, const char *state, LogWriter *log)
{
    for (int32_t i = 0; i < container_layers(image); i++) {
        put_digest(log, image->name, i, 12);
        log_printf(log, ": %s\n", state);
    }
}

void container_pull_begin(const ContainerImage *image, LogWriter *log)
{
    log_printf(log, "Pulling from %s\n", image->name);
    put_layers(image, "Pulling fs layer", log);
    put_layers(image, "Waiting", log);
}

void container_pull_end(const ContainerImage *image, LogWriter *log)
{
    put_layers(image, "Verifying Checksum", log);
    put_layers(image, "Download complete", log);
    put_layers(image, "Pull complete", log);
    log_text(log, "Digest: sha256:");
    put_digest(log, image->name, -1, 64);
    log_printf(log, "\nStatus: Downloaded newer image for %s\n", image->name);
}

/* --- Start --- */

static void put_image(const ContainerImage *image, LogWriter *log)
{
    log_printf(log, "+ docker image inspect %s\n[\n    {\n        \"Id\": \"sha256:", image->name);
    put_digest(log, image->name, -2, 64);
    log_printf(log,
               "\",\n        \"RepoTags\": [\n            \"%s\"\n        ],\n"
               "        \"Architecture\": \"amd64\",\n        \"Os\": \"linux\",\n"
               "        \"RootFS\": {\n            \"Type\": \"layers\",\n"
               "            \"Layers\": [\n",
               image->name);
    for (int32_t i = 0; i < container_layers(image); i++) {
        log_text(log, "                \"sha256:");
        put_digest(log, image->name, 100 + i, 64);
        log_text(log, i + 1 < container_layers(image) ? "\",\n" : "\"\n");
    }
    log_text(log, "            ]\n        }\n    }\n]\n");
}

/* The job's environment in a command line, each variable after `option`; secrets are hidden. */
static void put_variables(const JobView *view, const char *option, LogWriter *log)
{
    int32_t count;
    Arena *arena = arena_create();
    const EnvironmentVariable *all = job_environment(view->scenario, view->job, arena, &count);
    for (int32_t i = 0; i < count; i++)
        log_printf(log, "%s%s=%s", option, all[i].name, all[i].value ? all[i].value : "(secret)");
    arena_destroy(arena);
}

static void put_run(const JobView *view, LogWriter *log)
{
    const JobSpec *spec = view->job->spec;
    log_printf(log,
               "+ docker run --detach --name %s --network host --ulimit memlock=-1:-1 --ulimit "
               "nofile=65535:65535 --shm-size 64m --pid host --ipc host --user root "
               "-v /mnt/batch/tasks/shared/LS_root:/mnt/batch/tasks/shared/LS_root:rshared "
               "-v /etc/ssh/ssh_known_hosts:/etc/ssh/ssh_known_hosts:ro -v /dev/shm:/dev/shm",
               view->job->path.name);
    put_variables(view, " -e ", log);
    log_printf(log, " %s /usr/sbin/sshd -D -p 23\n", spec->image->name);
    put_digest(log, view->job->path.name, -3, 64);
    log_text(log, "\n");
}

/* Members of "HostConfig" and "State" whose values do not depend on the job. */
static const char container_settings[] =
    "        \"State\": {\n            \"Status\": \"running\",\n            \"Running\": true,\n"
    "            \"Paused\": false,\n            \"Restarting\": false,\n"
    "            \"OOMKilled\": false,\n            \"Dead\": false,\n"
    "            \"ExitCode\": 0,\n            \"Error\": \"\"\n        },\n"
    "        \"Driver\": \"overlay2\",\n        \"Platform\": \"linux\",\n"
    "        \"MountLabel\": \"\",\n        \"ProcessLabel\": \"\",\n"
    "        \"AppArmorProfile\": \"docker-default\",\n        \"ExecIDs\": null,\n"
    "        \"HostConfig\": {\n            \"Binds\": [\n"
    "                \"/mnt/batch/tasks/shared/LS_root:/mnt/batch/tasks/shared/LS_root:rshared\",\n"
    "                \"/etc/ssh/ssh_known_hosts:/etc/ssh/ssh_known_hosts:ro\",\n"
    "                \"/dev/shm:/dev/shm\"\n            ],\n"
    "            \"ContainerIDFile\": \"\",\n            \"LogConfig\": {\n"
    "                \"Type\": \"json-file\",\n                \"Config\": {}\n            },\n"
    "            \"NetworkMode\": \"host\",\n            \"PortBindings\": {},\n"
    "            \"RestartPolicy\": {\n                \"Name\": \"no\",\n"
    "                \"MaximumRetryCount\": 0\n            },\n"
    "            \"AutoRemove\": false,\n            \"VolumeDriver\": \"\",\n"
    "            \"VolumesFrom\": null,\n            \"CapAdd\": null,\n"
    "            \"CapDrop\": null,\n            \"Dns\": [],\n            \"DnsOptions\": [],\n"
    "            \"DnsSearch\": [],\n            \"ExtraHosts\": null,\n"
    "            \"GroupAdd\": null,\n            \"IpcMode\": \"host\",\n"
    "            \"Cgroup\": \"\",\n            \"Links\": null,\n            \"OomScoreAdj\": 0,\n"
    "            \"PidMode\": \"host\",\n            \"Privileged\": false,\n"
    "            \"PublishAllPorts\": false,\n            \"ReadonlyRootfs\": false,\n"
    "            \"SecurityOpt\": [\n                \"label=disable\"\n            ],\n"
    "            \"UTSMode\": \"\",\n            \"UsernsMode\": \"\",\n"
    "            \"ShmSize\": 67108864,\n            \"Runtime\": \"runc\",\n"
    "            \"ConsoleSize\": [\n                0,\n                0\n            ],\n"
    "            \"Isolation\": \"\",\n            \"CpuShares\": 0,\n            \"Memory\": 0,\n"
    "            \"NanoCpus\": 0,\n            \"CgroupParent\": \"\",\n"
    "            \"BlkioWeight\": 0,\n            \"BlkioWeightDevice\": [],\n"
    "            \"BlkioDeviceReadBps\": null,\n            \"BlkioDeviceWriteBps\": null,\n"
    "            \"BlkioDeviceReadIOps\": null,\n            \"BlkioDeviceWriteIOps\": null,\n"
    "            \"CpuPeriod\": 0,\n            \"CpuQuota\": 0,\n"
    "            \"CpuRealtimePeriod\": 0,\n            \"CpuRealtimeRuntime\": 0,\n"
    "            \"CpusetCpus\": \"\",\n            \"CpusetMems\": \"\",\n"
    "            \"Devices\": [],\n            \"DeviceCgroupRules\": null,\n"
    "            \"DiskQuota\": 0,\n            \"KernelMemory\": 0,\n"
    "            \"MemoryReservation\": 0,\n            \"MemorySwap\": 0,\n"
    "            \"MemorySwappiness\": null,\n            \"OomKillDisable\": false,\n"
    "            \"PidsLimit\": 0,\n            \"Ulimits\": [\n                {\n"
    "                    \"Name\": \"memlock\",\n                    \"Hard\": -1,\n"
    "                    \"Soft\": -1\n                },\n                {\n"
    "                    \"Name\": \"nofile\",\n                    \"Hard\": 65535,\n"
    "                    \"Soft\": 65535\n                }\n            ],\n"
    "            \"CpuCount\": 0,\n            \"CpuPercent\": 0,\n"
    "            \"IOMaximumIOps\": 0,\n            \"IOMaximumBandwidth\": 0\n        },\n"
    "        \"NetworkSettings\": {\n            \"Bridge\": \"\",\n"
    "            \"HairpinMode\": false,\n            \"LinkLocalIPv6Address\": \"\",\n"
    "            \"LinkLocalIPv6PrefixLen\": 0,\n            \"Ports\": {},\n"
    "            \"SandboxKey\": \"/var/run/docker/netns/default\",\n"
    "            \"SecondaryIPAddresses\": null,\n            \"EndpointID\": \"\",\n"
    "            \"Gateway\": \"\",\n            \"IPAddress\": \"\",\n"
    "            \"IPPrefixLen\": 0,\n            \"MacAddress\": \"\"\n        }\n    }\n]\n";

static void put_container(const JobView *view, LogWriter *log)
{
    const Job *job = view->job;
    log_printf(log, "+ docker inspect %s\n[\n    {\n        \"Id\": \"", job->path.name);
    put_digest(log, job->path.name, -3, 64);
    log_printf(log, "\",\n        \"Path\": \"/usr/sbin/sshd\",\n        \"Image\": \"sha256:");
    put_digest(log, job->spec->image->name, -2, 64);
    log_printf(log, "\",\n        \"Name\": \"/%s\",\n", job->path.name);
    log_text(log, container_settings);
}

void container_start_log(const JobView *view, LogWriter *log)
{
    put_image(view->job->spec->image, log);
    put_run(view, log);
    put_container(view, log);
}

void command_shell_log(const JobView *view, LogWriter *log)
{
    const bool is_contained = view->job->spec->image != NULL;
    log_text(log, is_contained ? "+ docker exec --user root" : "+ sudo --user root env");
    put_variables(view, is_contained ? " -e " : " ", log);
    log_printf(log, "%s%s /bin/bash -c\n", is_contained ? " " : "",
               is_contained ? view->job->path.name : "");
}

/* Runs a fuzz target over every file of a folder of seeds: what fuzzing once found stays found, in
 * every build. */
#include "tests/fuzz/replay_seeds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void replay(FuzzTarget *target, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    static uint8_t bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    // A copy of exact size lets AddressSanitizer see a read past the end.
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        exit(1);
    for (size_t i = 0; i < size; i++)
        exact[i] = bytes[i];
    target(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    const FuzzTopic *topic = fuzz_topics;
    while (argc == 3 && topic->name && strcmp(topic->name, argv[1]) != 0)
        topic++;
    if (argc != 3 || !topic->name) {
        fprintf(stderr, "usage: %s TOPIC FOLDER\n", argv[0]);
        return 2;
    }
    DIR *folder = opendir(argv[2]);
    if (!folder) {
        fprintf(stderr, "%s: cannot be opened\n", argv[2]);
        return 1;
    }
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[2], entry->d_name);
        replay(topic->run, path);
        count++;
    }
    closedir(folder);
    printf("%d seeds\n", count);
    return count > 0 ? 0 : 1; // an empty folder tests nothing
}

#include "sim/cli/json_file.h"

#include <stdio.h>

#include "sim/cli/files.h"

bool json_file_write(const char *path, const Json *root, Status *status)
{
    Text text = {0};
    json_print(&text, root, JSON_INDENTED);
    const bool is_written = file_write(path, text_string(&text), text.length, status);
    text_free(&text);
    return is_written;
}

void json_show(const Json *root)
{
    Text text = {0};
    json_print(&text, root, JSON_INDENTED);
    fputs(text_string(&text), stdout);
    text_free(&text);
}

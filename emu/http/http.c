#include "emu/http/http.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"

/* --- Methods --- */

static const char *const method_names[HTTP_METHOD_COUNT + 1] = {
#define X(name) #name,
    HTTP_METHODS(X)
#undef X
        NULL,
};

HttpMethod http_method(const char *text)
{
    for (int32_t i = 0; i < HTTP_METHOD_COUNT; i++)
        if (strcmp(text, method_names[i]) == 0)
            return (HttpMethod)i;
    return HTTP_METHOD_COUNT;
}

const char *http_method_name(HttpMethod method)
{
    return method_names[method];
}

/* --- Requests --- */

static const char *find(const HttpField *fields, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++)
        if (ascii_same(fields[i].name, name))
            return fields[i].value;
    return NULL;
}

const char *http_header(const HttpRequest *request, const char *name)
{
    return find(request->headers, request->header_count, name);
}

const char *http_query(const HttpRequest *request, const char *name)
{
    return find(request->query, request->query_count, name);
}

static bool is_token(const char *text)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    size_t length = 0;
    while (ascii_is_alphanumeric(text[length]) ||
           (text[length] != '\0' && strchr(marks, text[length])))
        length++;
    return length > 0 && text[length] == '\0';
}

static bool has_control(const char *text)
{
    for (; *text != '\0'; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            return true;
    return false;
}

/* Headers that decide whether a request is answered. Where one is repeated, this server and a proxy
 * or a browser could decide by different ones. */
static const struct {
    const char *name, *problem;
} single_headers[] = {
    {"Host", "The request has more than one Host header."},
    {"Origin", "The request has more than one Origin header."},
    {"Authorization", "The request has more than one Authorization header."},
    {"x-ms-date", "The request has more than one x-ms-date header."},
    {"Date", "The request has more than one Date header."},
};

static const char *repeated_header_problem(const HttpRequest *request)
{
    for (size_t row = 0; row < sizeof single_headers / sizeof *single_headers; row++) {
        int32_t count = 0;
        for (int32_t i = 0; i < request->header_count; i++)
            count += ascii_same(request->headers[i].name, single_headers[row].name);
        if (count > 1)
            return single_headers[row].problem;
    }
    return NULL;
}

const char *http_headers_problem(const HttpRequest *request)
{
    int32_t ways = 0; // of the length of the body
    const char *coding = NULL;
    for (int32_t i = 0; i < request->header_count; i++) {
        const char *name = request->headers[i].name, *value = request->headers[i].value;
        if (!is_token(name) || has_control(value))
            return "The request has a malformed header.";
        const bool is_coding = ascii_same(name, "Transfer-Encoding");
        coding = is_coding ? value : coding;
        ways += is_coding || ascii_same(name, "Content-Length");
    }
    if (ways > 1)
        return "The request says in more than one way how long its body is.";
    if (coding && !ascii_same(coding, "chunked"))
        return "The only transfer coding that is understood is \"chunked\".";
    return repeated_header_problem(request);
}

const char *http_decode(Arena *arena, const char *text, size_t length, bool plus_is_space)
{
    char *out = arena_strndup(arena, text, length);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '+' && plus_is_space)
            c = ' ';
        if (c == '%') {
            const int high = i + 2 < length ? ascii_hex_value(text[i + 1]) : -1;
            const int low = high >= 0 ? ascii_hex_value(text[i + 2]) : -1;
            if (low < 0 || high * 16 + low == 0)
                return NULL;
            c = (char)(high * 16 + low);
            i += 2;
        }
        out[used++] = c;
    }
    out[used] = '\0';
    return out;
}

static bool is_plain(char c, const char *also)
{
    return ascii_is_alphanumeric(c) || (c != '\0' && (strchr("-._~", c) || strchr(also, c)));
}

const char *http_encode(Arena *arena, const char *text, const char *also)
{
    static const char digits[] = "0123456789ABCDEF";
    char *out = arena_alloc(arena, 3 * strlen(text) + 1);
    size_t used = 0;
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (is_plain(*text, also)) {
            out[used++] = *text;
            continue;
        }
        out[used++] = '%';
        out[used++] = digits[byte / 16];
        out[used++] = digits[byte % 16];
    }
    return out;
}

static bool read_parameter(Arena *arena, const char *text, size_t length, HttpField *field)
{
    const char *equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : length;
    const size_t rest = equals ? name + 1 : length;
    field->name = http_decode(arena, text, name, true);
    field->value = http_decode(arena, text + rest, length - rest, true);
    return field->name && field->value;
}

bool http_read_query(HttpRequest *request, const char *text)
{
    int32_t count = 1, used = 0;
    for (const char *at = text; *at != '\0'; at++)
        count += *at == '&';
    HttpField *fields = ARENA_ARRAY(request->arena, HttpField, count);
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, "&");
        if (length > 0 && !read_parameter(request->arena, at, length, &fields[used++]))
            return false;
        at += length + (at[length] == '&');
    }
    request->query_text = text;
    request->query = fields;
    request->query_count = used;
    return true;
}

bool http_take_number(const char **text, int64_t *number)
{
    const char *at = *text;
    *number = 0;
    for (; ascii_is_digit(*at); at++) {
        const int64_t digit = *at - '0';
        if (*number > (INT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    const bool is_number = at > *text;
    *text = at;
    return is_number;
}

bool http_has_body(const HttpRequest *request)
{
    size_t blanks = 0;
    while (blanks < request->body_bytes && memchr(" \t\r\n", request->body[blanks], 4) != NULL)
        blanks++;
    return blanks < request->body_bytes;
}

bool http_number(const char *text, int64_t *number)
{
    return http_take_number(&text, number) && *text == '\0';
}

/* --- Answers --- */

HttpResponse http_response(int32_t status)
{
    return (HttpResponse){.status = status, .entity_bytes = -1};
}

/* A value from outside must not end a header and begin another. */
static bool is_one_line(const char *value)
{
    return value[strcspn(value, "\r\n")] == '\0';
}

void http_set(HttpResponse *response, const char *name, const char *value)
{
    if (!is_one_line(value))
        value = "";
    for (int32_t i = 0; i < response->header_count; i++)
        if (ascii_same(response->headers[i].name, name)) {
            response->headers[i].value = value;
            return;
        }
    invariant(response->header_count < HTTP_HEADERS_MAX);
    response->headers[response->header_count++] = (HttpField){name, value};
}

const char *http_get(const HttpResponse *response, const char *name)
{
    return find(response->headers, response->header_count, name);
}

void http_body(HttpResponse *response, const char *type, const char *bytes, size_t length)
{
    http_set(response, "Content-Type", type);
    response->body = bytes;
    response->body_bytes = length;
}

/* RFC 9110, section 15; RFC 6585 (429); RFC 4918 (507). */
static const struct {
    int32_t status;
    const char *phrase;
} phrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {507, "Insufficient Storage"},
};

const char *http_phrase(int32_t status)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (phrases[i].status == status)
            return phrases[i].phrase;
    return "Unknown";
}

/* --- Dates --- */

static const char *const days[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

enum { DAY_MS = 86400000 };

/* Positions in "Sun, 06 Nov 1994 08:49:37 GMT". */
static const char date_form[] = "ddd, 00 mmm 0000 00:00:00 GMT";
enum { AT_DAY = 5, AT_MONTH = 8, AT_YEAR = 12, AT_HOUR = 17, AT_MINUTE = 20, AT_SECOND = 23 };

void http_date_print(int64_t unix_ms, char out[HTTP_DATE])
{
    const CivilTime time = civil_from_unix_ms(unix_ms);
    memcpy(out, date_form, sizeof date_form);
    memcpy(out, days[unix_ms / DAY_MS % 7], 3); // 1970-01-01 was a Thursday
    memcpy(out + AT_MONTH, months[time.month - 1], 3);
    digits_print(out + AT_DAY, time.day, 2);
    digits_print(out + AT_YEAR, time.year, 4);
    digits_print(out + AT_HOUR, time.hour, 2);
    digits_print(out + AT_MINUTE, time.minute, 2);
    digits_print(out + AT_SECOND, time.second, 2);
}

/* -1: there are characters other than digits. */
static int32_t read_digits(const char *text, int32_t count)
{
    int32_t number = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!ascii_is_digit(text[i]))
            return -1;
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

bool http_date_parse(const char *text, int64_t *unix_ms)
{
    if (strlen(text) != sizeof date_form - 1)
        return false;
    char back[HTTP_DATE];
    CivilTime time = {.year = read_digits(text + AT_YEAR, 4),
                      .day = read_digits(text + AT_DAY, 2),
                      .hour = read_digits(text + AT_HOUR, 2),
                      .minute = read_digits(text + AT_MINUTE, 2),
                      .second = read_digits(text + AT_SECOND, 2)};
    for (int32_t i = 0; i < 12; i++)
        if (memcmp(text + AT_MONTH, months[i], 3) == 0)
            time.month = i + 1;
    if (time.year < 1970 || time.month == 0 || time.day < 1 || time.hour < 0 || time.minute < 0 ||
        time.second < 0)
        return false;
    const int64_t found = civil_to_unix_ms(time);
    http_date_print(found, back); // only the printed form: no 31 June, no wrong day of the week
    if (strcmp(back, text) != 0)
        return false;
    *unix_ms = found;
    return true;
}

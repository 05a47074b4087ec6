#include "people.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char *const first_names[] = {
    "Agnes", "Bertil", "Carola", "Dimitri", "Eleonor", "Fabio", "Gudrun", "Henning",
    "Ines", "Joakim", "Katarina", "Lorenzo", "Mirella", "Niklas", "Ottilie", "Patricio",
};
static const char *const last_names[] = {
    "Abernathy", "Bergqvist", "Castellano", "Dahlgren", "Eisenhart", "Fontaine", "Grabowski",
    "Holmstrom", "Ivanova", "Jablonski", "Kowalczyk", "Lindgren", "Moreau", "Nakamura",
};
static const char *const streets[] = {
    "Acorn", "Birch", "Canal", "Dock", "Elm", "Foundry", "Garden", "Harbour", "Juniper", "Lantern",
};
static const char *const cities[] = {
    "Aalborg", "Bad Homburg", "Cork", "Den Helder", "Evora", "Fort Augustus", "Ghent", "Haugesund", "Ischia", "Jena",
};
static const char *const states[] = {
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY",
    "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND",
    "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
};
static const char *const likes[] = {
    "archery", "baking", "chess", "drawing", "fencing", "gardening",
    "hiking", "juggling", "knitting", "rowing", "sailing", "whittling",
};
static const char *const words[] = {
    "amber", "brook", "cedar", "delta", "ember", "fable", "grove", "hollow", "island", "jetty",
    "kettle", "lark", "meadow", "north", "orchard", "pebble", "quiet", "river", "stone", "tide",
};

// A text being written and the generator that feeds it.
typedef struct {
    char *text;
    int length;
    uint64_t state;
} Writer;

static uint32_t below(Writer *writer, uint32_t limit) {
    uint64_t value = mix64(writer->state);
    writer->state += 0x9E3779B97F4A7C15u;
    return (uint32_t)((value >> 32) * limit >> 32);
}

static const char *choice(Writer *writer, const char *const *list, size_t count) {
    return list[below(writer, (uint32_t)count)];
}

__attribute__((format(printf, 2, 3))) static void add(Writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    writer->length += vsnprintf(
        writer->text + writer->length, (size_t)(PERSON_CAPACITY - writer->length), format, arguments);
    va_end(arguments);
}

static void add_lowercase(Writer *writer, const char *name) {
    for (; *name; name++) writer->text[writer->length++] = (char)(*name | 0x20);
}

static void add_date(Writer *writer, uint32_t first_year, uint32_t years) {
    uint32_t year = first_year + below(writer, years);
    uint32_t month = 1 + below(writer, 12);
    add(writer, "\"%04u-%02u-%02u\"", year, month, 1 + below(writer, 28));
}

static void add_contact(Writer *writer, const char *first, const char *last, const char *state) {
    uint32_t number = 1 + below(writer, 98);
    add(writer, "\"street\":\"%u %s St\"", number, choice(writer, streets, COUNT(streets)));
    add(writer, ",\"zip\":\"%05u\"", 10000 + below(writer, 90000));
    add(writer, ",\"city\":\"%s\",\"state\":\"%s\"}", choice(writer, cities, COUNT(cities)), state);
    add(writer, ",\"email\":[\"");
    add_lowercase(writer, first);
    add(writer, ".");
    add_lowercase(writer, last);
    add(writer, "@people.example.org\",\"");
    add_lowercase(writer, last);
    add(writer, "@people.example.org\"],\"region\":\"%03u\",\"phone\":[", 200 + below(writer, 800));
    uint32_t phones = 1 + below(writer, 3);
    for (uint32_t i = 0; i < phones; i++) {
        uint32_t prefix = 200 + below(writer, 800);
        add(writer, "%s\"%03u-%07u\"", i ? "," : "", prefix, below(writer, 10000000));
    }
    add(writer, "]}");
}

// One to three different pastimes.
static void add_likes(Writer *writer) {
    uint32_t count = 1 + below(writer, 3);
    uint32_t taken = 0;
    add(writer, ",\"likes\":[");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t like = below(writer, COUNT(likes));
        while (taken & 1u << like) like = (like + 1) % COUNT(likes);
        taken |= 1u << like;
        add(writer, "%s\"%s\"", i ? "," : "", likes[like]);
    }
    add(writer, "]");
}

static void add_note(Writer *writer) {
    uint32_t count = 20 + below(writer, 80);
    add(writer, ",\"note\":\"");
    for (uint32_t i = 0; i < count; i++) add(writer, "%s%s", i ? " " : "", choice(writer, words, COUNT(words)));
    add(writer, "\"");
}

// -1,000.00 to 10,000.00 as the shortest decimal, integers with `.0`.
static void add_balance(Writer *writer) {
    int cents = (int)below(writer, 1100001) - 100000;
    int magnitude = cents < 0 ? -cents : cents;
    add(writer, ",\"balance\":%s%d.", cents < 0 ? "-" : "", magnitude / 100);
    int rest = magnitude % 100;
    if (rest % 10 == 0) {
        add(writer, "%d}", rest / 10);
    } else {
        add(writer, "%02d}", rest);
    }
}

int person_json(char *text, uint64_t seed, uint64_t index) {
    Writer person = {text, 0, mix64(seed) ^ mix64(~index)};
    Writer *writer = &person;
    const char *first = choice(writer, first_names, COUNT(first_names));
    const char *last = choice(writer, last_names, COUNT(last_names));
    uint32_t score = below(writer, 1000000);
    uint32_t kind = below(writer, 100);
    add(writer, "{\"name\":{\"first\":\"%s\",\"last\":\"%s\"}", first, last);
    add(writer, ",\"gender\":\"%s\",\"birthday\":", below(writer, 2) ? "male" : "female");
    add_date(writer, 1930, 75);
    const char *state = choice(writer, states, COUNT(states));
    add(writer, ",\"contact\":{\"address\":{");
    if (kind < 10) {
        add(writer, "\"state\":\"%s\"}}", state);
    } else {
        add_contact(writer, first, last, state);
        add_likes(writer);
        add(writer, ",\"memberSince\":");
        add_date(writer, 2005, 8);
        if (kind >= 90) add_note(writer);
    }
    add(writer, ",\"score\":%u", score);
    add_balance(writer);
    return person.length;
}

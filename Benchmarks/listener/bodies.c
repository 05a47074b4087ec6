// Prints people data as it is sent to a server: bodies [--docs N] [--batch N] [--history N] [--seed S]
//
// Each line is a document; with --batch N it is a body of `_bulk_docs` with N documents. With --history N the
// documents are revisions of that generation from elsewhere, with the IDs of all their ancestors (`new_edits=false`).
#include "../baseline/harness.h"

static void print_history(uint64_t index, uint64_t generations) {
    char revision[33];
    for (uint64_t i = 0; i < generations; i++) {
        uint64_t generation = generations - i;
        uint64_t first = mix64(index * 64 + generation), second = mix64(first);
        snprintf(revision, sizeof revision, "%016llx%016llx", (unsigned long long)first, (unsigned long long)second);
        if (i == 0) {
            printf("\"_rev\":\"%llu-%s\",\"_revisions\":{\"start\":%llu,\"ids\":[", (unsigned long long)generations,
                revision, (unsigned long long)generations);
        }
        printf("%s\"%s\"", i > 0 ? "," : "", revision);
    }
    fputs("]},", stdout);
}

int main(int count, char **arguments) {
    uint64_t documents = 100000, batch = 0, history = 0, seed = 42;
    for (int i = 1; i < count; i++) {
        if (option(arguments, &i, "--docs")) {
            documents = number_argument(arguments[i], "--docs");
        } else if (option(arguments, &i, "--batch")) {
            batch = number_argument(arguments[i], "--batch");
        } else if (option(arguments, &i, "--history")) {
            history = number_argument(arguments[i], "--history");
        } else if (option(arguments, &i, "--seed")) {
            seed = number_argument(arguments[i], "--seed");
        } else {
            fail("usage: bodies [--docs N] [--batch N] [--history N] [--seed S]");
        }
    }
    if (history > 63) fail("--history is at most 63");
    char text[PERSON_CAPACITY], id[ID_CAPACITY];
    for (uint64_t i = 0; i < documents; i++) {
        int length = person_json(text, seed, i);
        if (batch && i % batch == 0) fputs(history ? "{\"new_edits\":false,\"docs\":[" : "{\"docs\":[", stdout);
        document_id(id, i, false);
        printf("{\"_id\":\"%s\",", id);
        if (history) print_history(i, history);
        fwrite(text + 1, 1, (size_t)length - 1, stdout);
        bool is_last = !batch || i % batch == batch - 1 || i == documents - 1;
        fputs(is_last ? batch ? "]}\n" : "\n" : ",", stdout);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) fail("cannot write the documents");
    return 0;
}

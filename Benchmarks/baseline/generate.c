// Prints people data as JSON lines: generate [--docs N] [--seed S] [--ids none|ordered|random] [--from I]
#include "harness.h"
#include "people/people.h"

int main(int count, char **arguments) {
    uint64_t documents = 100000, seed = 42, from = 0;
    const char *ids = "none";
    for (int i = 1; i < count; i++) {
        if (option(arguments, &i, "--docs")) {
            documents = number_argument(arguments[i], "--docs");
        } else if (option(arguments, &i, "--seed")) {
            seed = number_argument(arguments[i], "--seed");
        } else if (option(arguments, &i, "--from")) {
            from = number_argument(arguments[i], "--from");
        } else if (option(arguments, &i, "--ids")) {
            ids = arguments[i];
        } else {
            fail("usage: generate [--docs N] [--seed S] [--ids none|ordered|random] [--from I]");
        }
    }
    bool with_ids = strcmp(ids, "none") != 0;
    bool random_ids = with_ids && ids_are_random(ids);
    char text[PERSON_CAPACITY], id[ID_CAPACITY];
    for (uint64_t i = from; i < from + documents; i++) {
        int length = person_json(text, seed, i);
        if (with_ids) {
            document_id(id, i, random_ids);
            printf("{\"_id\":\"%s\",", id);
            fwrite(text + 1, 1, (size_t)length - 1, stdout);
        } else {
            fwrite(text, 1, (size_t)length, stdout);
        }
        putchar('\n');
    }
    if (fflush(stdout) != 0 || ferror(stdout)) fail("cannot write the documents");
    return 0;
}

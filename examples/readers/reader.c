/* cc -o reader reader.c && ./reader folder/offer-creation-request/invalid    (create the files first: brokerfuzz export folder --format files) */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    DIR *folder = opendir(argv[1]);
    chdir(argv[1]);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".json")) continue;
        FILE *file = fopen(entry->d_name, "rb");
        printf("%s ", entry->d_name);
        for (int byte; (byte = getc(file)) != EOF;) printf("%02x", byte); /* give these bytes to your system */
        printf("\n");
        fclose(file);
    }
    return 0;
}

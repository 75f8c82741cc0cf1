/* Reads messages from `brokerfuzz fire --exec ./reader --lines frames`, and answers each with one line. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Replace this function with the code that you test. */
static const char *answer(const unsigned char *body, uint32_t length)
{
    return length > 0 && body[0] == '{' ? "accepted" : "rejected: expected an object";
}

int main(void)
{
    unsigned char head[4];
    while (fread(head, 1, 4, stdin) == 4) {
        uint32_t length = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 | head[3];
        unsigned char *body = malloc(length + 1u);
        if (body == NULL || fread(body, 1, length, stdin) != length)
            return 1;
        puts(answer(body, length));
        fflush(stdout);
        free(body);
    }
    return 0;
}

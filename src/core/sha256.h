/*
  SHA-256 (FIPS 180-4), for the manifest: which config and which meshes a result was made from.
*/
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t      state[8];
  uint64_t      bytes;     /* taken so far */
  unsigned char block[64]; /* its first bytes % 64 are waiting */
} NsSha256;

#define NS_SHA256_TEXT 65 /* 64 hexadecimal digits and NUL */

void NsSha256Begin(NsSha256 *sha);
void NsSha256Add(NsSha256 *sha, const void *data, size_t size);
void NsSha256End(NsSha256 *sha, char text[NS_SHA256_TEXT]);
void NsSha256Bytes(const void *data, size_t size, char text[NS_SHA256_TEXT]);
/* Of a whole file; returns 0, or errno when it cannot be read. */
int NsSha256File(const char *path, char text[NS_SHA256_TEXT]);

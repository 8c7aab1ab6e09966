/*
  SHA-256 as FIPS 180-4 prints it: names and section numbers are the standard's.
*/
#include "sha256.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint32_t K[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
  0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138,
  0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
  0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f,
  0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n)
{
  return x >> n | x << (32 - n);
}

/* Section 6.2.2 */
static void add_block(uint32_t H[8], const unsigned char *block)
{
  uint32_t W[64], s[8];

  for (int t = 0; t < 16; t++)
    W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
  for (int t = 16; t < 64; t++) {
    const uint32_t sigma0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
    const uint32_t sigma1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;

    W[t] = sigma1 + W[t - 7] + sigma0 + W[t - 16];
  }
  memcpy(s, H, sizeof(s));
  for (int t = 0; t < 64; t++) {
    const uint32_t Sigma1 = rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25), Ch = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t Sigma0 = rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22), Maj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t T1 = s[7] + Sigma1 + Ch + K[t] + W[t];

    memmove(s + 1, s, 7 * sizeof(*s));
    s[4] += T1;
    s[0] = T1 + Sigma0 + Maj;
  }
  for (int i = 0; i < 8; i++) H[i] += s[i];
}

void NsSha256Begin(NsSha256 *sha)
{
  static const uint32_t H0[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

  memcpy(sha->state, H0, sizeof(H0));
  sha->bytes = 0;
}

void NsSha256Add(NsSha256 *sha, const void *data, size_t size)
{
  const unsigned char *from = data;

  while (size) {
    const size_t waiting = sha->bytes % 64;
    const size_t take    = size < 64 - waiting ? size : 64 - waiting;

    memcpy(sha->block + waiting, from, take);
    if (waiting + take == 64) add_block(sha->state, sha->block);
    sha->bytes += take;
    from += take;
    size -= take;
  }
}

void NsSha256End(NsSha256 *sha, char text[NS_SHA256_TEXT])
{
  /* Section 5.1.1: a one bit, zeros, and the length in bits, to a multiple of 64 bytes */
  static const unsigned char padding[64] = {0x80};
  const uint64_t             bits        = 8 * sha->bytes;
  const size_t               waiting     = sha->bytes % 64;
  unsigned char              length[8];

  for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
  NsSha256Add(sha, padding, waiting < 56 ? 56 - waiting : 120 - waiting);
  NsSha256Add(sha, length, sizeof(length));
  for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", (unsigned)sha->state[i]);
}

void NsSha256Bytes(const void *data, size_t size, char text[NS_SHA256_TEXT])
{
  NsSha256 sha;

  NsSha256Begin(&sha);
  NsSha256Add(&sha, data, size);
  NsSha256End(&sha, text);
}

int NsSha256File(const char *path, char text[NS_SHA256_TEXT])
{
  NsSha256  sha;
  char      buffer[16384];
  ssize_t   size;
  int       error;
  const int file = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC)); /* no stream: it would allocate */

  if (file < 0) return errno;
  NsSha256Begin(&sha);
  while ((size = TEMP_FAILURE_RETRY(read(file, buffer, sizeof(buffer)))) > 0) NsSha256Add(&sha, buffer, (size_t)size);
  error = size < 0 ? errno : 0;
  (void)close(file);
  if (!error) NsSha256End(&sha, text);
  return error;
}

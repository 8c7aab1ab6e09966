/* Versions of a hot loop for each kind of processor; the loader chooses one. Sums keep their order and are not contracted, so that all give the same bits. */
#pragma once

/* clang 14 names the versions differently, so that other files do not link with them. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define NS_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define NS_FOR_EACH_PROCESSOR
#endif

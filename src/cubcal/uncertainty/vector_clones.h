#pragma once

// On x86-64 the baseline has neither AVX2 nor FMA: let the loader pick the best version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CUBCAL_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CUBCAL_VECTOR_CLONES
#endif

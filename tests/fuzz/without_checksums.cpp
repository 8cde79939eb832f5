#include "cubcal/core/checksums.h"

/// libFuzzer calls this first.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  cubcal::checksums_count = false;
  return 0;
}

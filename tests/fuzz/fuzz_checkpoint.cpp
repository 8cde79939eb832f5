#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal_nn/train/checkpoint.h"

// Any text is the head of a checkpoint or an Error, and a head is the same after writing and
// reading it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = cubcal::checkpoint_head_text(cubcal::parse_checkpoint_head(text));
  } catch (const cubcal::Error&) {
    return 0;
  }
  const cubcal::CheckpointHead again = cubcal::parse_checkpoint_head(written);
  if (cubcal::checkpoint_head_text(again) != written) std::abort();
  return 0;
}

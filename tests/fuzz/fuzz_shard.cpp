#include "cubcal/core/error.h"
#include "cubcal/shard/merge_shards.h"
#include "fuzz/input_file.h"

// Any bytes are a whole job of one shard, whose file is written, or an error of one sentence.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = cubcal::fuzz::input_path(data, size);
  try {
    const cubcal::MergeResult result = cubcal::merge_shards({path}, "/dev/null");
    if (result.shards != 1 || result.unreadable > result.images) std::abort();
  } catch (const cubcal::Error&) {
  }
  return 0;
}

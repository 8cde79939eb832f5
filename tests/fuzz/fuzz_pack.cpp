#include "cubcal/core/error.h"
#include "cubcal/dataset/pack_file.h"
#include "fuzz/input_file.h"

// Any bytes are a pack whose parts fit together, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const cubcal::SampleBlock block = cubcal::read_pack(cubcal::fuzz::input_path(data, size));
    if (block.catalog.samples.size() != block.images.shape()[0]) std::abort();
    for (const cubcal::Sample& sample : block.catalog.samples) {
      if (sample.metadata.size() != block.catalog.columns.size()) std::abort();
      if (sample.label >= static_cast<std::int64_t>(block.catalog.classes())) std::abort();
    }
  } catch (const cubcal::DataError&) {
  }
  return 0;
}

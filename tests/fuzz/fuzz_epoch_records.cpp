#include "cubcal/core/error.h"
#include "cubcal/record/epoch_record.h"
#include "fuzz/input_file.h"

// Any bytes are a metrics.jsonl or a DataError, and the first epochs can be written again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto epochs = cubcal::read_epochs(cubcal::fuzz::input_path(data, size));
    for (std::size_t i = 0; i < epochs.size() && i < 100; ++i) {
      epochs[i].values();
      cubcal::epoch_line(epochs[i]);
    }
  } catch (const cubcal::DataError&) {
  }
  return 0;
}

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/record/ood_record.h"
#include "fuzz/input_file.h"

// Any bytes are rows of detectors or a DataError, and a row is the same after writing and reading
// it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<cubcal::DetectorRecord> rows;
  try {
    rows = cubcal::read_detectors(cubcal::fuzz::input_path(data, size));
  } catch (const cubcal::DataError&) {
    return 0;
  }
  for (const cubcal::DetectorRecord& row : rows) {
    const nlohmann::ordered_json written = cubcal::to_json(row);
    if (cubcal::to_json(cubcal::detector_of(written)) != written) std::abort();
  }
  return 0;
}

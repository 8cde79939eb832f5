#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cubcal/calibration/calibration.h"
#include "cubcal/core/error.h"

// What can be read must be the same after writing and reading it again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string written;
  try {
    written = cubcal::calibration_to_json(
        cubcal::calibration_from_json(std::string(reinterpret_cast<const char*>(data), size)));
  } catch (const cubcal::Error&) {
    return 0;
  }
  if (cubcal::calibration_to_json(cubcal::calibration_from_json(written)) != written) std::abort();
  return 0;
}

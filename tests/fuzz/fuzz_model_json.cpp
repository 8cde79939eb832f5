#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal_nn/infer/model_json.h"

// Any text is a model's description or a DataError, and a description is the same after writing and
// reading it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    const auto document = cubcal::parse_description(text);
    const cubcal::ModelDescription description = cubcal::description_of(document);
    cubcal::fields_of(document);
    written = cubcal::description_to_json(description);
  } catch (const cubcal::DataError&) {
    return 0;
  }
  const auto again = cubcal::description_of(cubcal::parse_description(written));
  if (cubcal::description_to_json(again) != written) std::abort();
  return 0;
}

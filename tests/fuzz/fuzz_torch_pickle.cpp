#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/io/torch_pickle.h"
#include "cubcal/weights/torch_pickle_file.h"

/// Any bytes are a pickle or a state dict, or a DataError. The pickle is also tried by itself,
/// since a checksum guards the one inside an archive against mutation.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    cubcal::read_torch_pickle(bytes, "input");
  } catch (const cubcal::DataError&) {
  }
  try {
    cubcal::read_torch_state_dict(std::make_shared<cubcal::MemorySource>("input", bytes));
  } catch (const cubcal::DataError&) {
  }
  return 0;
}

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/record/run_record.h"
#include "cubcal/record/settings_json.h"
#include "fuzz/input_file.h"

// Any bytes are the record of a run or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const cubcal::RunRecord record = cubcal::read_run_record(cubcal::fuzz::input_path(data, size));
    cubcal::settings_of(cubcal::settings_json(record.settings));
  } catch (const cubcal::DataError&) {
  }
  return 0;
}

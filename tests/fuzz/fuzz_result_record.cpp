#include "cubcal/core/error.h"
#include "cubcal/results/experiment_tables.h"
#include "cubcal/results/result_record.h"
#include "fuzz/input_file.h"

// Any bytes are a result or a DataError, and tables and figures can be made of a result.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::vector<cubcal::results::ResultRecord> records = {
        cubcal::results::read_result_record(cubcal::fuzz::input_path(data, size))};
    cubcal::results::results_markdown(records, "command");
    cubcal::results::experiment_figures(records);
  } catch (const cubcal::DataError&) {
  }
  return 0;
}

#include "cubcal/core/error.h"
#include "cubcal/results/experiment_tables.h"
#include "cubcal/results/result_record.h"
#include "fuzz/input_file.h"

namespace {

using cubcal::results::ResultRecord;

/// Beside it the plain network it is compared with, both on two seeds.
std::vector<ResultRecord> compared(const ResultRecord& record) {
  std::vector<ResultRecord> records(4, record);
  records[1].method = record.method == "bnn" ? "bnn+cub" : "bnn";
  records[2].seed = record.seed ^ 1;
  records[3].method = records[1].method;
  records[3].seed = records[2].seed;
  for (auto& [name, measured] : records[3].test.metrics) {
    if (measured.value) measured.value = -*measured.value;
  }
  return records;
}

}  // namespace

// Any bytes are a result or a DataError, and tables and figures can be made of a result, alone and
// among others.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ResultRecord record =
        cubcal::results::read_result_record(cubcal::fuzz::input_path(data, size));
    cubcal::results::to_json(record);
    for (const std::vector<ResultRecord>& records : {std::vector{record}, compared(record)}) {
      cubcal::results::results_markdown(records, "command");
      cubcal::results::experiment_figures(records);
    }
  } catch (const cubcal::DataError&) {
  }
  return 0;
}

#include "cubcal/core/error.h"
#include "cubcal/monitor/prediction_log.h"
#include "fuzz/input_file.h"

// Any bytes are a log whose columns fit together, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = cubcal::fuzz::input_path(data, size);
  cubcal::is_prediction_log(path);
  cubcal::ClassList classes;
  cubcal::AnsweringModel model;
  try {
    const cubcal::Predictions log = cubcal::read_prediction_log(path, {}, classes, model);
    const std::size_t count = log.size();
    if (log.confidence.size() != count || log.uncertainty.size() != count) std::abort();
    for (const auto& predicted : log.predicted) {
      if (predicted >= classes.size()) std::abort();
    }
  } catch (const cubcal::DataError&) {
  }
  return 0;
}

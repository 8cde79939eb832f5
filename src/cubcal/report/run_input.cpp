#include "cubcal/report/run_input.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/evaluation/doubts.h"
#include "cubcal/evaluation/given_numbers.h"
#include "cubcal/html/page_numbers.h"
#include "cubcal/io/logits_rows.h"
#include "cubcal/record/model_paths.h"
#include "cubcal/record/ood_record.h"
#include "cubcal/record/run_folder.h"
#include "cubcal/report/described_model.h"

namespace cubcal::report {

namespace {

namespace fs = std::filesystem;

/// The path where a file lies there, else nothing.
std::string if_there(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? path.string() : std::string();
}

std::string hash_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  ContentHash hash;
  std::array<char, 1 << 16> block;
  while (in.read(block.data(), block.size()), in.gcount() > 0) {
    hash.add(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  return hash.text();
}

LogitsInput read_logits(const std::string& path, LogitsReading reading = {}) {
  reading.all_columns = true;
  return {read_logits_file(path, reading), hash_of_file(path)};
}

/// Images of no class: whatever labels they have are none of the classes.
LogitsReading unlabelled(LogitsReading reading = {}) {
  reading.with_labels = false;
  return reading;
}

/// Logits from another framework, which may be probabilities or one number of two classes.
void take_given(LogitsInput& input, const ReportOptions& options, std::vector<std::string>& notes) {
  LogitsFile& file = input.logits;
  const std::size_t rescaled = take_numbers(file, {options.probabilities, options.reading.binary});
  for (std::string& doubt : doubts_about(file)) {
    doubt.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(doubt.front())));
    notes.push_back(std::move(doubt));
  }
  if (rescaled == 0) return;
  notes.push_back(counted(rescaled, "row") + " of '" + file.path +
                  "' did not sum to 1 and were divided by their sum.");
}

void check_labelled(const LogitsInput& input) {
  if (input.logits.has_labels) return;
  throw DataError("'" + input.logits.path + "' has no array 'labels' [N], which a report needs");
}

}  // namespace

void check_run(const RunInput& run) {
  check_labelled(run.test);
  for (const std::optional<LogitsInput>* other : {&run.validation, &run.outliers, &run.fresh}) {
    if (*other) check_same_classes(run.test.logits, (*other)->logits);
  }
}

RunName parse_run_name(const std::string& run) {
  const std::size_t equals = run.find('=');
  std::error_code ignored;
  if (equals == std::string::npos || fs::exists(run, ignored)) return {"", run};
  return {run.substr(0, equals), run.substr(equals + 1)};
}

RunFiles::RunFiles(const std::string& folder) {
  const bool has_end = !folder.empty() && folder.back() == '/';
  const RunFolder run{has_end ? folder.substr(0, folder.size() - 1) : folder};
  test = run.logits("test");
  validation = run.logits("val");
  outliers = run.logits("ood");
  record = run.record();
  epochs = run.metrics();
  detectors = run.detectors();
  best_model = ModelPaths{run.best()}.description();
  model = ModelPaths{run.path}.description();
  for (const CalibrationMethod method : kCalibrationMethods) {
    calibrations.push_back(run.calibration(method_name(method)));
  }
}

std::vector<std::string> RunFiles::all() const {
  std::vector<std::string> files{test,   validation, outliers,   record,
                                 epochs, detectors,  best_model, model};
  files.insert(files.end(), calibrations.begin(), calibrations.end());
  return files;
}

RunInput read_run(const std::string& folder, const ReportOptions& options) {
  RunInput input;
  input.folder = folder;
  input.source = folder;
  const RunFiles files(input.folder);
  std::error_code error;
  if (!fs::is_directory(input.folder, error)) {
    throw IoError("'" + input.folder + "' is not a run folder: there is no such folder");
  }
  if (if_there(files.test).empty()) {
    throw DataError(
        "'" + input.folder + "' has no logits of test images yet" +
        (options.advice_on_logits ? ": " + options.advice_on_logits(input.folder, "test") : ""));
  }
  input.test = read_logits(files.test);
  if (const std::string path = if_there(files.validation); !path.empty()) {
    input.validation = read_logits(path);
  }
  if (const std::string path = if_there(files.outliers); !path.empty()) {
    input.outliers = read_logits(path, unlabelled());
  }
  std::string model_path = if_there(files.best_model);
  if (model_path.empty()) model_path = if_there(files.model);
  std::optional<DescribedModel> model;
  if (!model_path.empty()) model = read_described_model(model_path);
  input.record = model_facts(if_there(files.record), model ? &*model : nullptr);
  for (const std::string& each : files.calibrations) {
    const std::string path = if_there(each);
    if (!path.empty()) input.calibrations.push_back(load_calibration(path));
  }
  if (model) {
    input.deployed = model->deployed;
    if (const std::optional<Calibration>& attached = model->calibration) {
      const auto same =
          std::find_if(input.calibrations.begin(), input.calibrations.end(),
                       [&](const Calibration& each) { return each.method == attached->method; });
      input.attached = attached->method;
      if (same != input.calibrations.end()) {
        *same = *attached;
      } else {
        input.calibrations.push_back(*attached);
      }
    }
  }
  if (const std::string path = if_there(files.epochs); !path.empty()) {
    input.epochs = read_epochs(path);
  }
  if (const std::string path = if_there(files.detectors); !path.empty()) {
    input.detectors = read_detectors(path);
  }
  if (input.deployed && input.deployed->identity) {
    const ModelIdentity& identity = *input.deployed->identity;
    input.label = identity.name + " " + identity.version;
  } else {
    input.label = input.record.method;
  }
  if (input.label.empty()) input.label = last_part(input.folder);
  check_run(input);
  return input;
}

RunInput read_logits_set(const std::string& test, const std::string& validation,
                         const std::string& outliers, const ReportOptions& options) {
  RunInput input;
  input.label = fs::path(test).stem().string();
  input.source = test;
  input.test = read_logits(test, options.reading);
  take_given(input.test, options, input.notes);
  if (!validation.empty()) {
    input.validation = read_logits(validation, options.reading);
    take_given(*input.validation, options, input.notes);
  }
  if (!outliers.empty()) input.outliers = read_unlabelled(outliers, options, input.notes);
  check_run(input);
  return input;
}

LogitsInput read_unlabelled(const std::string& path, const ReportOptions& options,
                            std::vector<std::string>& notes) {
  LogitsInput input = read_logits(path, unlabelled(options.reading));
  take_given(input, options, notes);
  return input;
}

void align_samples(RunInput& run, const LogitsFile& first) {
  LogitsFile& own = run.test.logits;
  if (own.files.empty() || first.files.empty() || own.files == first.files) return;
  try {
    own = take_samples(own, rows_by_file(first, own));
  } catch (const DataError&) {
    run.other_images = true;
  }
}

}  // namespace cubcal::report

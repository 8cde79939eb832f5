#include "cubcal/report/run_sources.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "cubcal/core/error.h"

namespace cubcal::report {

namespace {

namespace fs = std::filesystem;

bool is_logits_name(const std::string& path) {
  const std::string end = fs::path(path).extension().string();
  constexpr std::array<const char*, 3> ends = {".npz", ".npy", ".csv"};
  return std::find(ends.begin(), ends.end(), end) != ends.end();
}

RunSource source_of(const RunName& name) {
  RunSource source;
  source.label = name.label;
  source.path = name.path;
  std::error_code ignored;
  const bool is_file = fs::exists(name.path, ignored) && !fs::is_directory(name.path, ignored);
  source.is_folder =
      fs::is_directory(name.path, ignored) || (!is_file && !is_logits_name(name.path));
  return source;
}

/// What a set is called when a file is to go with it.
std::string called(const RunSource& source) {
  return source.label.empty() ? fs::path(source.path).stem().string() : source.label;
}

std::string names_of(const std::vector<RunSource>& sources) {
  std::string text;
  for (const RunSource& each : sources) text += (text.empty() ? "'" : ", '") + called(each) + "'";
  return text;
}

/// A set that is its own repeat would be counted twice.
void refuse_repeated(const std::vector<RunSource>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code ignored;
      const bool is_same = sources[i].path == sources[j].path ||
                           fs::equivalent(sources[i].path, sources[j].path, ignored);
      if (!is_same || called(sources[i]) != called(sources[j])) continue;
      throw ArgumentError("'" + sources[i].path + "' is given twice as '" + called(sources[i]) +
                          "': equal labels are repeats, with logits of their own");
    }
  }
}

/// Gives each of the files, FILE or LABEL=FILE, to the set it belongs to.
void hand_out(const std::vector<std::string>& files, const std::string& what,
              std::vector<RunSource>& sources, std::string RunSource::*place) {
  for (const std::string& file : files) {
    const RunName name = parse_run_name(file);
    if (name.label.empty() && sources.size() > 1) {
      throw ArgumentError("'" + name.path + "', " + what + ", must say which of " +
                          names_of(sources) + " it goes with: LABEL=FILE");
    }
    const auto found = std::find_if(sources.begin(), sources.end(), [&](const RunSource& each) {
      return (name.label.empty() || called(each) == name.label) && (each.*place).empty();
    });
    if (found == sources.end()) {
      throw ArgumentError("'" + name.path + "', " + what + ", finds no set" +
                          (name.label.empty() ? "" : " '" + name.label + "'") +
                          " that has none yet: there is " + names_of(sources));
    }
    (*found).*place = name.path;
  }
}

/// A calibration of no label is everybody's.
void hand_out_calibrations(const std::vector<std::string>& files, std::vector<RunSource>& sources) {
  std::vector<std::string> labelled;
  for (const std::string& file : files) {
    const RunName name = parse_run_name(file);
    if (!name.label.empty()) {
      labelled.push_back(file);
      continue;
    }
    if (files.size() > 1) {
      throw ArgumentError("of several calibrations each must say whose it is: LABEL=FILE, not '" +
                          file + "'");
    }
    for (RunSource& each : sources) each.calibration = name.path;
  }
  hand_out(labelled, "a calibration", sources, &RunSource::calibration);
}

}  // namespace

std::vector<std::string> RunSource::files() const {
  std::vector<std::string> all =
      is_folder ? RunFiles(path).all() : std::vector<std::string>{path, validation, outliers};
  all.insert(all.end(), {calibration, fresh});
  return all;
}

std::vector<RunSource> run_sources(const ReportOptions& options) {
  if (options.runs.empty() == options.logits.empty()) {
    throw ArgumentError("a report is made of run folders or of files of logits: give one of them");
  }
  std::vector<RunSource> sources;
  for (const std::string& run : options.runs) sources.push_back(source_of(parse_run_name(run)));
  if (!options.logits.empty()) {
    sources.emplace_back();
    sources.back().path = options.logits;
  }
  refuse_repeated(sources);
  std::vector<RunSource> files;
  std::copy_if(sources.begin(), sources.end(), std::back_inserter(files),
               [](const RunSource& each) { return !each.is_folder; });
  if (files.empty() && !(options.validation.empty() && options.outliers.empty())) {
    throw ArgumentError(
        "validation and outlier logits go with a file of test logits: run folders have their own");
  }
  if (files.empty() && options.probabilities) {
    throw ArgumentError(
        "the option 'probabilities' goes with files of logits: run folders hold logits");
  }
  hand_out(options.validation, "validation logits", files, &RunSource::validation);
  hand_out(options.outliers, "logits of images of no class", files, &RunSource::outliers);
  auto next = files.begin();
  for (RunSource& each : sources) {
    if (!each.is_folder) each = *next++;
  }
  hand_out_calibrations(options.calibration, sources);
  if (options.prevalence) {
    hand_out(options.prevalence->new_logits, "logits of a new place", sources, &RunSource::fresh);
  }
  return sources;
}

RunInput read_source(const RunSource& source, const ReportOptions& options) {
  RunInput input = source.is_folder
                       ? read_run(source.path, options)
                       : read_logits_set(source.path, source.validation, source.outliers, options);
  input.source = source.path;
  if (!source.label.empty()) {
    input.label = source.label;
    input.label_given = true;
  }
  if (!source.calibration.empty()) input.shown_calibration = load_calibration(source.calibration);
  if (!source.fresh.empty()) {
    input.fresh = read_unlabelled(source.fresh, options, input.notes);
    check_run(input);
  }
  return input;
}

}  // namespace cubcal::report

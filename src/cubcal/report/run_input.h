#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/calibration/calibration.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/record/detector_record.h"
#include "cubcal/record/epoch_record.h"
#include "cubcal/report/deployed_model.h"
#include "cubcal/report/model_facts.h"
#include "cubcal/report/report_options.h"

namespace cubcal::report {

struct LogitsInput {
  LogitsFile logits;
  std::string hash;  ///< of the whole file
};

/// Everything the report knows of one run, as it lies on disk.
struct RunInput {
  std::string label;         ///< of the method
  bool label_given = false;  ///< by whoever asked for the report
  std::string source;        ///< the folder or file it comes from
  std::string folder;        ///< empty where logits were given instead
  ModelFacts record;
  std::optional<DeployedModel> deployed;
  LogitsInput test;
  std::optional<LogitsInput> validation;
  std::optional<LogitsInput> outliers;
  std::optional<LogitsInput> fresh;  ///< of a new place, to estimate its prevalence from
  bool other_images = false;  ///< the test logits name other files than those of the first run
  std::vector<Calibration> calibrations;
  std::optional<Calibration> shown_calibration;  ///< instead of all others of its method
  std::optional<CalibrationMethod> attached;     ///< the one the model carries
  std::vector<EpochRecord> epochs;
  std::vector<DetectorRecord> detectors;
  std::vector<std::string> notes;  ///< sentences: what was done to the files
};

/// A run as it is named on the command line: PATH or LABEL=PATH, the former where something of the
/// whole name is there.
struct RunName {
  std::string label;  ///< may be empty
  std::string path;
};
RunName parse_run_name(const std::string& run);

/// What a report reads of a run folder, whether it is there or not.
struct RunFiles {
  explicit RunFiles(const std::string& folder);

  std::string test;
  std::string validation;
  std::string outliers;
  std::string record;
  std::string epochs;
  std::string detectors;
  std::string best_model;
  std::string model;                      ///< of a model folder given for a run
  std::vector<std::string> calibrations;  ///< by method

  std::vector<std::string> all() const;
};

/// Of the files of a run folder those that are there. Throws IoError where the folder is not there
/// and DataError, with the options' advice, where it has no test logits.
RunInput read_run(const std::string& folder, const ReportOptions& options = {});

/// Throws DataError where the test logits have no labels or the others other classes.
void check_run(const RunInput& run);

/// From files of logits, of which all but the first may be empty names; the options say how their
/// arrays are to be understood.
RunInput read_logits_set(const std::string& test, const std::string& validation,
                         const std::string& outliers, const ReportOptions& options);

/// Logits of images without labels, understood as the options say.
LogitsInput read_unlabelled(const std::string& path, const ReportOptions& options,
                            std::vector<std::string>& notes);

/// Brings the test samples into the order of `files`, where both name their files and these are the
/// same; else marks the run as one of other images.
void align_samples(RunInput& run, const LogitsFile& first);

}  // namespace cubcal::report

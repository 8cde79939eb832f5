#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/checklist/checklist.h"
#include "cubcal/image/image_file.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/resampling.h"
#include "cubcal/metrics/sample_facts.h"
#include "cubcal/report/report_studies.h"

namespace cubcal::report {

/// A checklist to be filled with what the records and logits prove.
struct ChecklistRequest {
  checklist::Kind kind;
  std::string path;  ///< the Markdown file to write
};

struct ReportOptions {
  std::string output;  ///< the HTML file to write
  std::string title;   ///< of the page; empty: made of the data set's name
  /// Run folders and files of labelled test logits, each as PATH or LABEL=PATH. The method of the
  /// first is the one the verdict speaks of; runs of one label are repeats of one method.
  std::vector<std::string> runs;
  std::string logits;  ///< instead of runs: one file of labelled test logits from any framework
  /// With files of logits: their validation logits, as FILE or, with several, LABEL=FILE.
  std::vector<std::string> validation;
  std::vector<std::string> outliers;  ///< the same: logits of images of no class
  LogitsReading reading;              ///< how the arrays of files of logits are called
  bool probabilities = false;         ///< files of logits hold probabilities
  /// Calibrations instead of those found or fitted: FILE for all, or LABEL=FILE.
  std::vector<std::string> calibration;
  std::string data;  ///< the data set of the test images; empty: no images on the page
  /// The picture of a test sample of the first run, where it comes from no data set on disk. Called
  /// by several threads at once.
  std::function<Image(std::size_t sample)> test_image = {};
  /// How a run folder gets the logits of a split ("test", "val") that it lacks, in words for its
  /// reader: "make them with ..."; without it nothing is said of that.
  std::function<std::string(const std::string& folder, const std::string& split)> advice_on_logits =
      {};
  std::string figures;  ///< folder for every chart as SVG and PDF; empty: none
  std::vector<ChecklistRequest> checklists;
  /// Sections that are left out unless they are asked for.
  ClinicalRequest clinical = {};
  std::optional<BenefitRequest> benefit = {};
  std::optional<PrevalenceRequest> prevalence = {};
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  double risk_target = 0.05;          ///< error rate accepted among the answers that are kept
  std::size_t scatter_points = 1500;  ///< of each boundary chart; more samples are thinned
  std::size_t images = 12;            ///< certain mistakes and uncertain hits shown, each
};

}  // namespace cubcal::report

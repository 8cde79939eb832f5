#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cubcal/image/image_file.h"
#include "cubcal/metrics/resampling.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal::report {

struct ReportOptions {
  std::string output;  ///< the HTML file to write
  std::string title;   ///< of the page; empty: made of the data set's name
  /// Run folders, each as FOLDER or LABEL=FOLDER. The method of the first is the one the verdict
  /// speaks of; runs of one label are repeats of one method with other seeds.
  std::vector<std::string> runs;
  std::string logits;          ///< instead of runs: labelled test logits from any framework
  std::string validation;      ///< with `logits`: validation logits
  std::string outliers;        ///< with `logits`: logits of images of no class
  bool probabilities = false;  ///< the files of `logits` hold probabilities
  std::string calibration;     ///< a calibration file, instead of those found or fitted
  std::string data;            ///< the data set of the test images; empty: no images on the page
  /// The picture of a test sample of the first run, where it comes from no data set on disk.
  std::function<Image(std::size_t sample)> test_image = {};
  std::string figures;  ///< folder for every chart as SVG and PDF; empty: none
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  double risk_target = 0.05;          ///< error rate accepted among the answers that are kept
  std::size_t scatter_points = 1500;  ///< of each boundary chart; more samples are thinned
  std::size_t images = 12;            ///< certain mistakes and uncertain hits shown, each
};

}  // namespace cubcal::report

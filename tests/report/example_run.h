#pragma once

#include <filesystem>
#include <string>

#include "cubcal/core/seed_stream.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"

/// Runs as they lie on disk, with simulated logits.
namespace cubcal::report {

/// Logits of an overconfident classifier of three classes, one of them with a name that must be
/// escaped; two samples to a patient.
inline LogitsFile example_logits(std::uint64_t seed, std::size_t samples = 200,
                                 std::size_t passes = 6, double evidence = 1.8) {
  LogitsFile file;
  file.logits = NdArray(DType::kF32, {passes, samples, 3});
  file.class_names = {"benign", "malignant", "<other> & \"odd\""};
  file.has_labels = true;
  float* logits = file.logits.as<float>();
  for (std::size_t i = 0; i < samples; ++i) {
    SeedStream stream(seed, i);
    const std::size_t label = stream.below(3);
    file.labels.push_back(static_cast<std::int64_t>(label));
    file.groups.push_back("patient " + std::to_string(i / 2));
    double means[3];
    for (std::size_t k = 0; k < 3; ++k) {
      means[k] = 2.5 * (stream.normal() + (k == label ? evidence : 0));
    }
    for (std::size_t s = 0; s < passes; ++s) {
      for (std::size_t k = 0; k < 3; ++k) {
        logits[(s * samples + i) * 3 + k] = static_cast<float>(means[k] + stream.normal());
      }
    }
  }
  return file;
}

/// Test logits with a column `site` of two values, `age` of many numbers and `note`, which no
/// sample shares with another.
inline void write_test_logits(const std::string& path, const LogitsFile& file) {
  std::vector<std::string> sites;
  std::vector<std::string> ages;
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < file.labels.size(); ++i) {
    sites.push_back(i % 3 == 0 ? "north" : "south");
    ages.push_back(std::to_string(20 + i % 60));
    notes.push_back("note " + std::to_string(i));
  }
  NpzWriter npz(path);
  npz.add("logits", file.logits);
  npz.add("labels", ArrayView<const std::int64_t>(file.labels), {file.labels.size()});
  npz.add_text("groups", file.groups);
  npz.add_text("class_names", file.class_names);
  npz.add_text("column_site", sites);
  npz.add_text("column_age", ages);
  npz.add_text("column_note", notes);
  npz.finish();
}

/// A run folder as training and 'cubcal logits' leave it behind.
inline void write_example_run(const std::filesystem::path& folder, const std::string& method,
                              std::uint64_t seed, double evidence = 1.8) {
  std::filesystem::create_directories(folder / "best");
  write_test_logits((folder / "test.npz").string(), example_logits(10, 200, 6, evidence));
  write_logits_file((folder / "val.npz").string(), example_logits(20, 200, 6, evidence));
  LogitsFile outliers = example_logits(30, 60, 6, 0);
  outliers.has_labels = false;
  outliers.labels.clear();
  write_logits_file((folder / "ood.npz").string(), outliers);
  write_file_atomically(
      (folder / "record.json").string(),
      R"({"format":"cubcal-run","version":1,"program":"cubcal 0.1.0","seed":)" +
          std::to_string(seed) +
          R"(,"network":"small-resnet","data":{"name":"sets/lesions","hash":"0123"},
      "recipe":{"text":"seed = 1 # <tag>","hash":"1107c974a340bf87"},
      "stages":[{"method":")" +
          method + R"(","epochs":2,"best":{"epoch":1},"seconds":3.5}]})");
  write_file_atomically(
      (folder / "best" / "model.json").string(),
      R"({"format":"cubcal-model","layers":"variational","weights_hash":"89ab"})");
  write_file_atomically(
      (folder / "metrics.jsonl").string(),
      R"({"stage":1,"epoch":1,"loss":0.9,"validation":{"accuracy":0.6,"nll":1.0}})"
      "\n"
      R"({"stage":1,"epoch":2,"loss":0.7,"validation":{"accuracy":0.7,"nll":0.8}})"
      "\n");
}

}  // namespace cubcal::report

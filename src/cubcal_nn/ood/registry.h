#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cubcal_nn/ood/detector.h"

/// The feature detectors by name. A new one is a file with its class and a make_ function, and a
/// line in detector_entries().
namespace cubcal {

struct DetectorEntry {
  const char* name;   ///< as options and files have it: "cosine+pca"
  const char* title;  ///< as tables have it: "Cosine + PCA"
  std::unique_ptr<Detector> (*make)(const DetectorOptions& options);
};

std::unique_ptr<Detector> make_mahalanobis(const DetectorOptions& options);
std::unique_ptr<Detector> make_relative_mahalanobis(const DetectorOptions& options);
std::unique_ptr<Detector> make_relative_mahalanobis_multi(const DetectorOptions& options);
std::unique_ptr<Detector> make_cosine_pca(const DetectorOptions& options);
std::unique_ptr<Detector> make_cosine_rff_pca(const DetectorOptions& options);
std::unique_ptr<Detector> make_knn(const DetectorOptions& options);
std::unique_ptr<Detector> make_vim(const DetectorOptions& options);
std::unique_ptr<Detector> make_appearance(const DetectorOptions& options);
std::unique_ptr<Detector> make_combined(const DetectorOptions& options);

/// In the order of tables.
const std::vector<DetectorEntry>& detector_entries();

/// Throws ArgumentError that lists the known names.
const DetectorEntry& detector_entry(const std::string& name);
std::unique_ptr<Detector> make_detector(const std::string& name,
                                        const DetectorOptions& options = {});

}  // namespace cubcal

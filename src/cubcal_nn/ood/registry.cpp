#include "cubcal_nn/ood/registry.h"

#include "cubcal/core/error.h"

namespace cubcal {

const std::vector<DetectorEntry>& detector_entries() {
  static const std::vector<DetectorEntry> entries = {
      {"mahalanobis", "Mahalanobis", make_mahalanobis},
      {"relative-mahalanobis", "Relative Mahalanobis", make_relative_mahalanobis},
      {"relative-mahalanobis-multi", "Relative Mahalanobis, multi-layer",
       make_relative_mahalanobis_multi},
      {"cosine+pca", "Cosine + PCA", make_cosine_pca},
      {"cosine+rff+pca", "Cosine + RFF + PCA", make_cosine_rff_pca},
      {"knn", "kNN", make_knn},
      {"vim", "ViM", make_vim},
      {"appearance", "Appearance", make_appearance},
      {"combined", "Combined", make_combined},
  };
  return entries;
}

const DetectorEntry& detector_entry(const std::string& name) {
  std::string known;
  for (const DetectorEntry& each : detector_entries()) {
    if (name == each.name) return each;
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  throw ArgumentError("there is no detector named '" + name + "'; the known ones are " + known);
}

std::unique_ptr<Detector> make_detector(const std::string& name, const DetectorOptions& options) {
  return detector_entry(name).make(options);
}

}  // namespace cubcal

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/error.h"
#include "cubcal/mc_logits.h"
#include "cubcal/predictive.h"

/// Temperatures, fitted on validation logits and applied to others. docs/calibration.md says what
/// the methods do.
namespace cubcal {

struct Calibration;

struct CalibrationOptions {
  /// "ts-nll", "ts-bcce", "dts" or "dts-guarded". Empty: every method is tried on held-out groups,
  /// and the best is taken that makes nothing significantly worse of accuracy, balanced accuracy,
  /// NLL, Brier, ECE and AURC, or none.
  std::string method = {};
  double eta = 0.325;      ///< U above it is uncertain, nats: of the regions of dts
  std::uint64_t seed = 0;  ///< of the held-out groups
  /// Whom each sample is of: samples of one group are held out together. Empty: each by itself.
  std::vector<std::string> groups = {};
};

/// A calibration, or the finding that none helps. Copies share it.
class Calibrator {
 public:
  /// Of a file that save() or 'cubcal calibrate' wrote. Throws IoError or DataError.
  static Calibrator load(const std::string& path);

  /// Nothing: predictions stay as they are.
  Calibrator() = default;
  explicit Calibrator(const Calibration& calibration, std::vector<std::string> warnings = {});

  /// The method's name, "none" where there is none.
  std::string method() const;
  double t_high() const;  ///< for samples to sharpen; 1 where there is none
  double t_low() const;   ///< for samples to soften
  /// What the fit has to say: a temperature on a bound of its box, an empty region.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Throws DataError for logits of another number of classes.
  Predictive apply(const McLogits& logits) const;
  /// Throws ArgumentError where there is no calibration, IoError where the system refuses.
  void save(const std::string& path) const;

 private:
  std::shared_ptr<const Calibration> calibration_;
  std::vector<std::string> warnings_;
};

/// Throws DataError where the labels do not fit or there are too few groups to hold any out, and
/// ArgumentError where the groups do not fit, and for an unknown method.
Calibrator calibrate(const McLogits& logits, const std::vector<std::int64_t>& labels,
                     const CalibrationOptions& options = {});

}  // namespace cubcal

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/calibration/fit.h"

/// An experiment is a grid of runs of one recipe, data regime x seed x training method, whose
/// tables stand beside the paper's.
namespace cubcal {

class StrictTable;

/// The [calibration] table of a recipe: how the calibrations of its runs are fitted.
struct CalibrationPlan {
  std::optional<Thresholds> thresholds;  ///< unset: derived from `eta` and the number of classes
  double eta = kDefaultEta;
  std::optional<TemperatureBox> box;       ///< of ts-nll and ts-bcce; unset: FitOptions'
  std::optional<TemperatureBox> box_high;  ///< of dts; dts-guarded has its own
  std::optional<TemperatureBox> box_low;

  FitOptions fit_options(CalibrationMethod method) const;
};

/// The method whose runs are deep ensembles of deterministic ones.
inline constexpr const char* kEnsembleMethod = "ensemble";
/// The method whose runs are deterministic ones with a Gaussian last layer by Laplace's
/// approximation.
inline constexpr const char* kLaplaceMethod = "laplace";

/// Whether runs of this method are made of deterministic runs and train nothing of their own.
bool is_made_of_deterministic(const std::string& method);

/// The [experiment] table of a recipe. docs/experiment.md lists its keys.
struct ExperimentPlan {
  std::string name;   ///< of the experiment in records and tables; empty: the recipe's file name
  std::string paper;  ///< the paper's experiment: chest, retina or skin; empty: none
  std::vector<std::string> methods = {"deterministic", "mc-dropout", "bnn", "bnn+avuc", "bnn+cub"};
  std::vector<std::string> regimes = {"full"};  ///< "full", "25%", "balanced"
  std::vector<std::string> smoke;               ///< overrides of a run that only shows it works
  std::size_t seeds = 3;
  std::size_t passes = 80;     ///< of the logits
  std::size_t members = 5;     ///< of an ensemble: its seed's deterministic run and others
  std::string model = "last";  ///< "last" or "best": which model of a run is measured
  CalibrationPlan calibration;
  std::string ood_by;  ///< column that tells the kinds of outliers apart
  /// Overrides by method or by regime.
  std::map<std::string, std::vector<std::string>> set;
  /// Further rows of the regime "full": name and overrides, the method's among them.
  std::map<std::string, std::vector<std::string>> variants;
};

/// An absent table gives the defaults.
ExperimentPlan read_experiment(StrictTable table);
/// Throws ArgumentError where a method, regime or name is none.
void check_experiment_plan(const ExperimentPlan& plan);

/// One run of the grid.
struct ExperimentRun {
  std::string regime;
  std::uint64_t seed = 1;
  std::string method;  ///< or the name of a variant
  std::vector<std::string> overrides;

  /// "full/seed1/bnn+cub": its name, and its folder under the experiment's.
  std::string id() const;
  /// The run whose network this one starts from; the deterministic run names itself.
  std::string start_id() const;
  bool is_start() const { return id() == start_id(); }
  bool is_ensemble() const { return method == kEnsembleMethod; }
  bool is_laplace() const { return method == kLaplaceMethod; }
};

/// Member `index`, from 1 on, of an ensemble's run: it trains as the deterministic run of the same
/// seed does, which is not one of these, with a seed of its own.
ExperimentRun ensemble_member(const ExperimentRun& ensemble, std::size_t index);

/// The runs whose id one of the patterns matches (as a shell's: * and ?), and those they start
/// from, by regime, seed and method; no pattern: all. Seeds count from 1. Throws ArgumentError for
/// a pattern that matches nothing, listing what there is.
std::vector<ExperimentRun> experiment_runs(const ExperimentPlan& plan, std::size_t seeds,
                                           const std::vector<std::string>& only = {});

}  // namespace cubcal

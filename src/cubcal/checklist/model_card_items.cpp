#include "cubcal/checklist/item_lists.h"

namespace cubcal::checklist {

std::vector<Item> model_card_items() {
  using T = Topic;
  constexpr const char* kPart = "Model card";
  return {
      {"1",
       kPart,
       "Model details",
       {T::kModel, T::kOutput, T::kTraining, T::kSeeds, T::kSoftware},
       "Who made it and when, its version, license, and whom to ask."},
      {"2",
       kPart,
       "Intended use",
       {T::kIntendedUse, T::kReferral},
       "What it is for and by whom; uses it must not be put to."},
      {"3",
       kPart,
       "Factors",
       {T::kSubgroups},
       "Groups, devices and surroundings that could matter, evaluated or not."},
      {"4",
       kPart,
       "Metrics",
       {T::kMetrics, T::kStatistics},
       "Why these, and why these thresholds."},
      {"5",
       kPart,
       "Evaluation data",
       {T::kData, T::kPartitions, T::kClassCounts},
       "Why this set, and how its images were prepared."},
      {"6",
       kPart,
       "Training data",
       {T::kTraining},
       "Where the images come from and how classes are spread, as far as it can be told."},
      {"7",
       kPart,
       "Quantitative analyses",
       {T::kPerformance, T::kClasses, T::kCalibration, T::kReferral, T::kSubgroups, T::kOutliers,
        T::kFailures, T::kComparison, T::kBenefit, T::kPrevalence},
       ""},
      {"8",
       kPart,
       "Ethical considerations",
       {},
       "Sensitive data, risks and harms, who could suffer them, and what was done."},
      {"9",
       kPart,
       "Caveats and recommendations",
       {T::kLimits, T::kFailures},
       "What remains to be tried, and groups that the data lack."},
  };
}

}  // namespace cubcal::checklist

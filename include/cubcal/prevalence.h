#pragma once

#include <cstdint>
#include <vector>

#include "cubcal/error.h"
#include "cubcal/predictive.h"

/// Predictions where classes are more or less frequent than the model takes them to be: a class
/// looks the same there, and only its share differs. docs/prevalence.md has the formulas. Shares
/// are one for each class, 1 together; ArgumentError where they are not.
namespace cubcal {

/// The shares that probabilities are made for, from samples with labels. Throws DataError for
/// labels that do not fit and where answers are too sure to tell. A class without labels has a
/// share that means nothing.
std::vector<double> model_prevalence(const Predictive& predictive,
                                     const std::vector<std::int64_t>& labels);

/// The shares among samples without labels (EM), given those the model is made for.
std::vector<double> estimate_prevalence(const Predictive& predictive,
                                        const std::vector<double>& from);

/// Predictions for samples of the shares `to`; their uncertainty has no epistemic part.
Predictive at_prevalence(const Predictive& predictive, const std::vector<double>& from,
                         const std::vector<double>& to);

}  // namespace cubcal

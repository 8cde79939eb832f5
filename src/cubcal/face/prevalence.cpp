#include "cubcal/prevalence.h"

#include "cubcal/prevalence/expectation.h"
#include "cubcal/prevalence/implied_prevalence.h"
#include "cubcal/prevalence/prior_correction.h"

namespace cubcal {

std::vector<double> model_prevalence(const Predictive& predictive,
                                     const std::vector<std::int64_t>& labels) {
  return told_prevalence(predictive, labels);
}

std::vector<double> estimate_prevalence(const Predictive& predictive,
                                        const std::vector<double>& from) {
  return em_prevalence(predictive, from, from).prevalence;
}

Predictive at_prevalence(const Predictive& predictive, const std::vector<double>& from,
                         const std::vector<double>& to) {
  return correct_priors(predictive, from, to);
}

}  // namespace cubcal

#include "cubcal/report/report_studies.h"

#include <algorithm>

#include "cubcal/report/run_input.h"

namespace cubcal::report {

namespace {

ClinicalStudy clinical_study(const SampleFacts& facts, const Predictive& predictive,
                             const ClinicalOptions& options, const std::vector<std::string>& groups,
                             const BootstrapOptions& bootstrap) {
  const ClinicalMetrics metrics(facts, predictive, options);
  return {options, metrics.values(), metrics.intervals(groups, bootstrap)};
}

BenefitStudy benefit_study(const BenefitRequest& request, const LogitsFile& file,
                           const std::vector<std::string>& class_names,
                           const Predictive& predictive, const BootstrapOptions& bootstrap) {
  BenefitStudy study;
  const std::vector<std::uint8_t> positive = request.positive(class_names);
  for (std::size_t k = 0; k < class_names.size(); ++k) {
    if (positive[k] != 0) study.positive.push_back(class_names[k]);
  }
  BenefitCases cases = benefit_cases(predictive, file.labels, positive);
  if (request.decisions) cases.decisions = request.decisions(file, predictive);
  if (!cases.decisions.empty()) study.policy = request.policy;
  study.cases = cases.size();
  study.diseased = static_cast<std::size_t>(
      std::count(cases.diseased.begin(), cases.diseased.end(), std::uint8_t{1}));
  study.curve = benefit_curve(cases, request.options);
  add_benefit_intervals(study.curve, cases, file.groups, bootstrap);
  return study;
}

}  // namespace

RunStudies run_studies(const RunInput& input, const std::vector<std::string>& class_names,
                       const Predictive& predictive,
                       const std::optional<Predictive>& new_predictive,
                       const ReportOptions& options) {
  const LogitsFile& file = input.test.logits;
  RunStudies studies;
  if (input.shown_calibration) {
    studies.calibration = method_name(input.shown_calibration->method);
  }
  if (options.clinical || !options.checklists.empty()) {
    const SampleFacts facts = sample_facts(predictive, file.labels, options.metrics);
    studies.clinical = clinical_study(
        facts, predictive, options.clinical ? options.clinical(class_names) : ClinicalOptions{},
        file.groups, options.bootstrap);
  }
  if (options.benefit) {
    studies.benefit =
        benefit_study(*options.benefit, file, class_names, predictive, options.bootstrap);
  }
  if (options.prevalence) {
    PrevalenceOptions own =
        options.prevalence->options(class_names, label_shares(file.labels, class_names.size()));
    own.metrics = options.metrics;
    own.bootstrap = options.bootstrap;
    std::optional<NewSamples> fresh;
    if (new_predictive) {
      fresh.emplace(NewSamples{*new_predictive, input.fresh->logits.groups});
      studies.new_samples = new_predictive->samples;
    }
    studies.prevalence = study_prevalence({predictive, file.labels, file.groups}, fresh, own);
  }
  return studies;
}

}  // namespace cubcal::report

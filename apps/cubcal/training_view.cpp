#include "training_view.h"

#include <iostream>

#include "augmentation_text.h"
#include "cubcal/io/utf8.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "interrupt.h"
#include "number_text.h"
#include "option_flags.h"

namespace cubcal::app {

namespace {

std::string percent(const std::optional<double>& value) {
  return value ? fixed(100 * *value, 1) + "%" : "-";
}

std::string number(const std::optional<double>& value) { return value ? fixed(*value, 3) : "-"; }

/// What the loss is made of, besides cross entropy.
std::string loss_parts(const EpochReport& report, const TrainingMethod& method) {
  std::string text;
  if (method.kind == LayerKind::kVariational) text = "KL " + fixed(100 * report.kl_share, 0) + "%";
  if (!report.loss_summary.empty()) text += (text.empty() ? "" : ", ") + report.loss_summary;
  return text.empty() ? "" : " (" + text + ")";
}

std::string numbers_text(const std::vector<double>& values) {
  std::string text;
  for (const double each : values) text += (text.empty() ? "" : ", ") + fixed(each, 3);
  return values.size() == 1 ? text : "(" + text + ")";
}

}  // namespace

void TrainingView::run_started(const RunReport& report) {
  const Preprocessing& images = report.images.preprocessing;
  std::cout << indent_ << "images: ";
  if (images.reduce_to > 0) std::cout << "reduced to " << images.reduce_to << ", then ";
  std::cout << image_fit_name(images.fit) << " to " << images.image_height() << " x "
            << images.image_width() << ", the network sees " << images.height << " x "
            << images.width << '\n'
            << indent_ << "normalised with mean " << numbers_text(images.mean) << " and deviation "
            << numbers_text(images.standard_deviation) << ", " << report.images.source << '\n'
            << indent_ << "augmentation: " << augmentation_text(report.augmentation) << '\n'
            << std::flush;
}

void TrainingView::stage_started(const StageReport& report) {
  stage_ = report;
  bar_ = std::make_unique<ProgressBar>(indent_ + report.method.name);
  std::cout << indent_;
  if (report.stages > 1) {
    std::cout << "stage " << report.stage << " of " << report.stages << ", ";
  }
  std::cout << report.method.name << ": " << report.parameters << " weights, "
            << report.training_images << " images, " << report.epochs << " epochs of "
            << report.steps_per_epoch << " steps";
  if (report.passes > 1) std::cout << " with " << report.passes << " passes each";
  if (report.first_epoch > 0 || report.first_step > 0) {
    std::cout << "; goes on in epoch " << report.first_epoch + 1 << " after step "
              << report.first_step;
  }
  std::cout << '\n';
  if (!report.kl_weight.empty()) std::cout << indent_ << report.kl_weight << '\n';
  std::cout << std::flush;
}

void TrainingView::step_done(const StepReport& report) {
  const std::int64_t first = stage_.first_epoch * stage_.steps_per_epoch + stage_.first_step;
  const std::int64_t done = report.epoch * stage_.steps_per_epoch + report.step + 1;
  bar_->show(static_cast<std::size_t>(done - first),
             static_cast<std::size_t>(stage_.epochs * stage_.steps_per_epoch - first));
}

void TrainingView::epoch_done(const EpochReport& report) {
  bar_->wipe();
  const MetricValues& validation = report.validation;
  std::cout << indent_ << "epoch " << report.epoch + 1 << '/' << stage_.epochs << ": loss "
            << fixed(report.terms.loss, 4) << loss_parts(report, stage_.method) << ", train "
            << percent(report.train_accuracy) << " | val " << percent(validation[Metric::kAccuracy])
            << ", balanced " << percent(validation[Metric::kBalancedAccuracy]) << ", NLL "
            << number(validation[Metric::kNll]) << ", ECE " << percent(validation[Metric::kEce])
            << ", AvU " << number(validation[Metric::kAvu]);
  if (stage_.method.kind == LayerKind::kVariational) {
    std::cout << ", σ/μ " << fixed(report.sigma.noise_to_signal, 3);
  }
  std::cout << " | " << fixed(report.seconds, 1) << " s" << (report.best ? " *" : "") << '\n'
            << std::flush;
}

void TrainingView::warning(const std::string& sentence) {
  if (bar_) bar_->wipe();
  std::cerr << "cubcal: warning: " << printable(options_as_flags(sentence)) << '\n';
}

bool TrainingView::stop_requested() { return InterruptWatch::interrupted(); }

}  // namespace cubcal::app

#include "training_view.h"

#include <cerrno>
#include <ctime>
#include <iostream>
#include <sstream>

#include "cubcal/core/check.h"
#include "cubcal/io/system_error.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/io/utf8.h"
#include "cubcal_nn/batches/augmentation.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "error_sentence.h"
#include "interrupt.h"
#include "number_text.h"
#include "option_flags.h"

namespace cubcal::app {

namespace {

/// What is on, in words; "none" where nothing is.
std::string augmentation_text(const AugmentationOptions& options) {
  std::string text;
  const auto add = [&text](bool is_on, const std::string& words) {
    if (is_on) text += (text.empty() ? "" : ", ") + words;
  };
  add(options.horizontal_flip, "horizontal flip");
  add(options.vertical_flip, "vertical flip");
  add(options.shift > 0, "shift " + to_text(options.shift));
  add(options.rotation > 0, "rotation " + to_text(options.rotation) + " degrees");
  add(options.crop_least < 1, "crop " + to_text(options.crop_least) + " to " +
                                  to_text(options.crop_largest) + " of the area, aspect " +
                                  fixed(options.crop_aspect, 2));
  add(options.brightness > 0, "brightness " + to_text(options.brightness));
  add(options.contrast > 0, "contrast " + to_text(options.contrast));
  return text.empty() ? "none" : text;
}

std::string percent_or_dash(const std::optional<double>& share) {
  return share ? percent(*share) : "-";
}

std::string number(const std::optional<double>& value) { return value ? fixed(*value, 3) : "-"; }

/// What the loss is made of, besides cross entropy.
std::string loss_parts(const EpochReport& report, const TrainingMethod& method) {
  std::string text;
  if (has_gaussians(method.kind)) text = "KL " + percent(report.kl_share, 0);
  if (!report.loss_summary.empty()) text += (text.empty() ? "" : ", ") + report.loss_summary;
  return text.empty() ? "" : " (" + text + ")";
}

/// "14:05:09", the time of day here.
std::string clock_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &parts)};
}

std::string numbers_text(const std::vector<double>& values) {
  std::string text;
  for (const double each : values) text += (text.empty() ? "" : ", ") + fixed(each, 3);
  return values.size() == 1 ? text : "(" + text + ")";
}

}  // namespace

TrainingView::TrainingView(std::string indent, const std::string& log)
    : indent_(std::move(indent)), log_path_(log), log_(log, std::ios::app) {
  if (!log_) throw system_error("write", log);
}

void TrainingView::tell(const std::string& line) {
  std::cout << indent_ << line << '\n' << std::flush;
  add_to_log(line);
}

void TrainingView::add_to_log(const std::string& line) {
  errno = 0;
  log_ << utc_time() << "  " << line << '\n' << std::flush;
  if (log_) return;
  log_.clear();
  if (is_log_short_) return;
  is_log_short_ = true;
  std::cerr << "cubcal: warning: " << printable(system_error("write", log_path_).what())
            << "; the run goes on\n";
}

void TrainingView::run_started(const RunReport& report) {
  const Preprocessing& images = report.images.preprocessing;
  std::ostringstream text;
  if (images.reduce_to > 0) text << "reduced to " << images.reduce_to << ", then ";
  text << image_fit_name(images.fit) << " to " << images.image_height() << " x "
       << images.image_width() << ", the network sees " << images.height << " x " << images.width;
  tell("images: " + text.str());
  tell("normalised with mean " + numbers_text(images.mean) + " and deviation " +
       numbers_text(images.standard_deviation) + ", " + report.images.source);
  tell("augmentation: " + augmentation_text(report.augmentation));
}

void TrainingView::stage_started(const StageReport& report) {
  stage_ = report;
  epochs_done_ = 0;
  seconds_ = 0;
  bar_ = std::make_unique<ProgressBar>(indent_ + report.method.name);
  std::ostringstream text;
  if (report.stages > 1) text << "stage " << report.stage << " of " << report.stages << ", ";
  text << report.method.name << ": " << report.parameters << " weights, " << report.training_images
       << " images, " << report.epochs << " epochs of " << report.steps_per_epoch << " steps";
  if (report.passes > 1) text << " with " << report.passes << " passes each";
  if (report.first_epoch > 0 || report.first_step > 0) {
    text << "; goes on in epoch " << report.first_epoch + 1 << " after step " << report.first_step;
  }
  tell(text.str());
  if (!report.kl_weight.empty()) tell(report.kl_weight);
}

void TrainingView::step_done(const StepReport& report) {
  const std::int64_t first = stage_.first_epoch * stage_.steps_per_epoch + stage_.first_step;
  const std::int64_t done = report.epoch * stage_.steps_per_epoch + report.step + 1;
  bar_->show(static_cast<std::size_t>(done - first),
             static_cast<std::size_t>(stage_.epochs * stage_.steps_per_epoch - first));
}

/// Of the stage, by its mean epoch; nothing at its end.
std::string TrainingView::time_left() {
  const std::int64_t left = stage_.epochs - (stage_.first_epoch + epochs_done_);
  if (left <= 0) return "";
  const double seconds = seconds_ / static_cast<double>(epochs_done_) * static_cast<double>(left);
  return ", " + clock_text(seconds) + " left" + (stage_.stages > 1 ? " of the stage" : "");
}

void TrainingView::epoch_done(const EpochReport& report) {
  bar_->wipe();
  ++epochs_done_;
  seconds_ += report.seconds;
  const MetricValues& validation = report.validation;
  std::ostringstream text;
  text << "epoch " << report.epoch + 1 << '/' << stage_.epochs << ": loss "
       << fixed(report.terms.loss, 4) << loss_parts(report, stage_.method) << ", train "
       << percent_or_dash(report.train_accuracy) << " | val "
       << percent_or_dash(validation[Metric::kAccuracy]) << ", balanced "
       << percent_or_dash(validation[Metric::kBalancedAccuracy]) << ", NLL "
       << number(validation[Metric::kNll]) << ", ECE " << percent_or_dash(validation[Metric::kEce])
       << ", AvU " << number(validation[Metric::kAvu]);
  if (has_gaussians(stage_.method.kind)) {
    text << ", σ/μ " << fixed(report.sigma.noise_to_signal, 3);
  }
  text << " | " << fixed(report.seconds, 1) << " s" << time_left() << ", at " << clock_now()
       << (report.best ? " *" : "");
  tell(text.str());
}

void TrainingView::warning(const std::string& sentence) {
  if (bar_) bar_->wipe();
  const std::string text = printable(options_as_flags(sentence));
  std::cerr << "cubcal: warning: " << text << '\n';
  add_to_log("warning: " + text);
}

void TrainingView::run_ended(const std::exception& error) {
  add_to_log("ended: " + printable(options_as_flags(error_sentence(error))));
}

bool TrainingView::stop_requested() { return InterruptWatch::interrupted(); }

}  // namespace cubcal::app

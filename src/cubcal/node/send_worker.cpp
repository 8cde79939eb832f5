#include "cubcal/node/send_worker.h"

#include <algorithm>

#include "cubcal/node/refusal_reason.h"

namespace cubcal {

namespace {

constexpr ImageSpool::Wait kLookForReports{200};
constexpr std::chrono::hours kTidy{1};
constexpr const char* kReportFile = "a file of the spool";

}  // namespace

std::chrono::milliseconds back_off(std::size_t failures, std::chrono::milliseconds first) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(1);
  constexpr std::size_t kDoublings = 16;
  if (failures == 0) return std::chrono::milliseconds(0);
  return std::min(kLongest, first * (1 << std::min(failures - 1, kDoublings)));
}

SendWorker::SendWorker(ImageSpool& spool, ReportTarget& target, SendOptions options, Tell tell)
    : spool_(spool), target_(target), options_(options), tell_(std::move(tell)), thread_([this] {
        work();
      }) {}

SendWorker::~SendWorker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool SendWorker::is_stopping() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

void SendWorker::work() {
  using Clock = std::chrono::steady_clock;
  // Not at once: a watched folder first tells what is still there.
  Clock::time_point tidy = Clock::now() + kTidy;
  while (!is_stopping()) {
    if (Clock::now() >= tidy) {
      try {
        spool_.forget_sent(options_.remember);
      } catch (const IoError& error) {
        tell_("what was sent long ago could not be forgotten: " +
              refusal_reason(error, kReportFile));
      }
      tidy = Clock::now() + kTidy;
    }
    const std::vector<std::string> reports = spool_.next_reports(1, kLookForReports);
    if (reports.empty()) {
      target_.rest();
    } else {
      send(reports.front());
    }
  }
  target_.rest();
}

void SendWorker::send(const std::string& report_uid) {
  std::string report;
  try {
    report = spool_.read_report(report_uid);
  } catch (const IoError& error) {
    put_off(report_uid, error);
    return;
  }
  try {
    settle(report_uid, target_.deliver(report_uid, report));
  } catch (const IoError& error) {
    settle(report_uid, {Delivery::kUnreachable, refusal_reason(error, kReportFile)});
  }
}

void SendWorker::put_off(const std::string& report_uid, const IoError& error) {
  if (is_missing_file(error)) {
    refusals_.erase(report_uid);
    spool_.forget_report(report_uid);
    tell_("a report was removed from the spool before it was sent");
    return;
  }
  const std::string reason = refusal_reason(error, kReportFile);
  const std::size_t tries = ++refusals_[report_uid];
  try {
    if (tries >= options_.tries) {
      spool_.refused(report_uid, reason);
      refusals_.erase(report_uid);
      tell_("a report could not be read " + std::to_string(tries) +
            " times and is in the folder 'failed': " + reason);
      return;
    }
  } catch (const IoError& second) {
    if (tries == options_.tries) {
      tell_("a report can neither be read nor put aside: " + refusal_reason(second, kReportFile));
    }
  }
  spool_.put_back_report(report_uid, false);
  pause(back_off(tries, options_.first_pause));
}

void SendWorker::settle(const std::string& report_uid, const DeliveryResult& result) {
  if (result.outcome == Delivery::kStored) {
    if (failures_ > 0) tell_("reports go to " + target_.name() + " again");
    failures_ = 0;
    told_.clear();
    refusals_.erase(report_uid);
    spool_.sent(report_uid);
    return;
  }
  ++failures_;
  const bool is_refused = result.outcome == Delivery::kRefused;
  if (is_refused && ++refusals_[report_uid] >= options_.tries) {
    refusals_.erase(report_uid);
    spool_.refused(report_uid, result.reason);
    tell_("a report was refused by " + target_.name() + " " + std::to_string(options_.tries) +
          " times and is in the folder 'failed': " + result.reason);
    return;
  }
  const std::chrono::milliseconds length = back_off(failures_, options_.first_pause);
  if (failures_ == 1 || result.reason != told_) {
    tell_("a report could not be sent to " + target_.name() + ": " + result.reason + "; " +
          std::to_string(spool_.reports()) + " wait, and are tried again until they are sent");
  }
  told_ = result.reason;
  spool_.put_back_report(report_uid, !is_refused);
  target_.rest();
  pause(length);
}

void SendWorker::pause(std::chrono::milliseconds length) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, length, [&] { return stopping_; });
}

}  // namespace cubcal

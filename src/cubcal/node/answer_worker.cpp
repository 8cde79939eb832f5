#include "cubcal/node/answer_worker.h"

#include <new>

#include "cubcal/core/error.h"
#include "cubcal/node/refusal_reason.h"
#include "cubcal/service/answer_line.h"
#include "cubcal/spool/derived_uid.h"

namespace cubcal {

namespace {

constexpr ImageSpool::Wait kLook{200};
constexpr std::size_t kLongestReason = 500;
constexpr const char* kSpoolFile = "a file of the spool";

}  // namespace

AnswerWorker::AnswerWorker(ImageSpool& spool, ModelVersion model, ReportMaker make_report,
                           AnswerLog* log, AnswerOptions options, Tell tell)
    : spool_(spool),
      model_(std::move(model)),
      make_report_(std::move(make_report)),
      log_(log),
      options_(std::move(options)),
      tell_(std::move(tell)),
      run_id_(new_run_id()),
      thread_([this] { work(); }) {}

AnswerWorker::~AnswerWorker() {
  stopping_ = true;
  thread_.join();
}

void AnswerWorker::work() {
  while (!stopping_) {
    look_after_unread();
    const bool alone = to_try_alone_ > 0;
    const std::vector<std::string> uids = spool_.next_images(alone ? 1 : options_.batch, kLook);
    if (uids.empty()) continue;
    if (alone) --to_try_alone_;
    answer(uids);
  }
}

void AnswerWorker::answer(const std::vector<std::string>& uids) {
  try {
    std::vector<Job> jobs;
    for (const std::string& uid : uids) {
      if (std::optional<Job> job = prepare(uid)) jobs.push_back(std::move(*job));
    }
    const std::vector<Answer> answers = predict(jobs);
    for (std::size_t i = 0; i < answers.size(); ++i) finish(jobs[i], answers[i]);
    if (!answers.empty()) told_.clear();
  } catch (const IoError& error) {
    try_again_later(uids, refusal_reason(error, kSpoolFile));
  } catch (const std::bad_alloc&) {
    try_again_later(uids, "there is not enough memory");
  } catch (const std::exception& error) {
    const std::string reason = std::string(error.what()).substr(0, kLongestReason);
    if (uids.size() == 1) {
      fail_if_possible(uids.front(), reason);
    } else {  // the others must not suffer from the one that the model cannot take
      to_try_alone_ = uids.size();
      put_back(uids);
    }
  }
}

void AnswerWorker::put_back(const std::vector<std::string>& uids) {
  for (auto uid = uids.rbegin(); uid != uids.rend(); ++uid) {
    const auto unread = unread_.find(*uid);
    const bool is_kept_back = unread != unread_.end() && unread->second.is_kept_back;
    if (!is_kept_back && spool_.holds_image(*uid)) spool_.put_back_image(*uid, true);
  }
}

void AnswerWorker::look_after_unread() {
  for (auto& [uid, unread] : unread_) {
    if (!unread.is_kept_back || std::chrono::steady_clock::now() < unread.due) continue;
    unread.is_kept_back = false;
    spool_.put_back_image(uid, false);
  }
}

void AnswerWorker::put_off(const std::string& uid, const IoError& error) {
  if (is_missing_file(error)) {
    unread_.erase(uid);
    spool_.forget_image(uid);
    tell_("an image was removed from the spool before it was answered");
    return;
  }
  Unread& unread = unread_[uid];
  if (++unread.tries < options_.tries) {
    unread.due = std::chrono::steady_clock::now() + options_.pause;
    unread.is_kept_back = true;
    return;
  }
  unread_.erase(uid);
  fail(uid, refusal_reason(error, kSpoolFile));
}

void AnswerWorker::try_again_later(const std::vector<std::string>& uids,
                                   const std::string& reason) {
  if (reason != told_) tell_("answering waits: " + reason);
  told_ = reason;
  put_back(uids);
  std::this_thread::sleep_for(options_.pause);
}

void AnswerWorker::fail_if_possible(const std::string& uid, const std::string& reason) {
  try {
    fail(uid, reason);
  } catch (const IoError& error) {
    try_again_later({uid}, refusal_reason(error, kSpoolFile));
  }
}

std::optional<AnswerWorker::Job> AnswerWorker::prepare(const std::string& uid) {
  std::string bytes;
  try {
    bytes = spool_.read_image(uid);
  } catch (const IoError& error) {
    put_off(uid, error);
    return std::nullopt;
  }
  unread_.erase(uid);
  try {
    Job job;
    job.uid = uid;
    job.identity = read_image_identity(bytes, "the image");
    // Problems are printed: no name of the image, whatever the log may say.
    job.image =
        receive_images({{"image", bytes}}, *model_.model, options_.limits, decoder_).front();
    if (job.image.problem.empty()) return job;
    fail(uid, job.image.problem);
  } catch (const DataError& error) {
    fail(uid, error.what());
  }
  return std::nullopt;
}

std::vector<Answer> AnswerWorker::predict(const std::vector<Job>& jobs) {
  std::vector<std::shared_ptr<const PreparedImage>> prepared;
  prepared.reserve(jobs.size());
  for (const Job& job : jobs) prepared.push_back(job.image.prepared);
  return prepared.empty() ? std::vector<Answer>() : model_.model->predict(prepared);
}

void AnswerWorker::finish(const Job& job, const Answer& answer) {
  ReportContent content;
  content.image = job.identity;
  content.answer = answer;
  content.model = model_.model->facts();
  content.model_name = options_.model_name;
  content.frame = job.image.frame;
  content.ae_title = options_.ae_title;
  content.report_uid = spool_.report_uid(job.uid);
  content.series_uid = derived_uid(job.identity.study_uid + "/series/" + options_.answerer);
  std::string report;
  try {
    report = make_report_(content);
  } catch (const DataError& error) {
    fail(job.uid, error.what());
    return;
  }
  spool_.answered(job.uid, report);
  if (log_ == nullptr) return;
  const std::string request = run_id_ + "-" + std::to_string(++count_);
  const std::string line = answer_line(audit_json(options_.model_name, model_, request),
                                       {job.uid, job.image.dicom, job.image.frame}, answer,
                                       content.model, options_.patients);
  if (!log_->add(line)) tell_("an answer could not be logged");
}

void AnswerWorker::fail(const std::string& uid, const std::string& reason) {
  spool_.failed(uid, reason);
  tell_("an image could not be answered and is in the folder 'failed': " + reason);
}

}  // namespace cubcal

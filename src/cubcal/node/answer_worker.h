#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cubcal/node/report_content.h"
#include "cubcal/service/answer_log.h"
#include "cubcal/service/image_upload.h"
#include "cubcal/service/model_slot.h"
#include "cubcal/spool/image_spool.h"

namespace cubcal {

/// Takes a sentence about what happened, without anything of a patient. By any thread.
using Tell = std::function<void(const std::string&)>;

struct AnswerOptions {
  std::string model_name;  ///< in the log
  std::string ae_title = {};
  std::string answerer;   ///< the spool's
  std::size_t batch = 8;  ///< images at a time in the network
  UploadLimits limits = {};
  bool patients = false;                  ///< the log names them
  std::size_t tries = 5;                  ///< to read an image
  std::chrono::milliseconds pause{2000};  ///< after the system refused something
};

/// The thread that turns images of the spool into reports.
class AnswerWorker {
 public:
  /// Everything must outlive the worker; `log` may be null.
  AnswerWorker(ImageSpool& spool, ModelVersion model, ReportMaker make_report, AnswerLog* log,
               AnswerOptions options, Tell tell);
  /// Ends after the images that are being answered; those that wait stay in the spool.
  ~AnswerWorker();
  AnswerWorker(const AnswerWorker&) = delete;
  AnswerWorker& operator=(const AnswerWorker&) = delete;

 private:
  struct Job {
    std::string uid;
    ImageIdentity identity;
    ReceivedImage image;
  };
  /// An image that could not be read. Others are answered meanwhile.
  struct Unread {
    std::size_t tries = 0;
    std::chrono::steady_clock::time_point due;
    bool is_kept_back = false;  ///< by us, until then
  };

  void work();
  void answer(const std::vector<std::string>& uids);
  void look_after_unread();
  void put_off(const std::string& uid, const IoError& error);
  /// None where the image cannot be answered, which is noted, or not be read for now.
  std::optional<Job> prepare(const std::string& uid);
  std::vector<Answer> predict(const std::vector<Job>& jobs);
  void finish(const Job& job, const Answer& answer);
  void fail(const std::string& uid, const std::string& reason);
  void fail_if_possible(const std::string& uid, const std::string& reason);
  void put_back(const std::vector<std::string>& uids);
  void try_again_later(const std::vector<std::string>& uids, const std::string& reason);

  ImageSpool& spool_;
  const ModelVersion model_;
  const ReportMaker make_report_;
  AnswerLog* const log_;
  const AnswerOptions options_;
  const Tell tell_;
  const std::string run_id_;
  std::size_t count_ = 0;
  std::size_t to_try_alone_ = 0;  ///< images of a call of the model that failed
  std::map<std::string, Unread> unread_;
  std::string told_;  ///< why answering waits; empty: it does not
  Slots decoder_{1};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace cubcal

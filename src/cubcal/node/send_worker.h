#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "cubcal/core/error.h"
#include "cubcal/node/answer_worker.h"
#include "cubcal/node/report_target.h"
#include "cubcal/spool/image_spool.h"

namespace cubcal {

/// How long to wait after so many failures in a row: 1 s after the first, then twice as long each
/// time, a minute at most.
std::chrono::milliseconds back_off(std::size_t failures,
                                   std::chrono::milliseconds first = std::chrono::seconds(1));

struct SendOptions {
  std::size_t tries = 5;                        ///< of a report that is refused or cannot be read
  std::chrono::milliseconds first_pause{1000};  ///< after a failure; see back_off()
  std::chrono::hours remember{std::chrono::hours(24 * 30)};  ///< that a report was sent
};

/// The thread that sends reports of the spool. One that is refused or cannot be read so often ends
/// in 'failed'; where the target cannot be reached all wait, for as long as it takes.
class SendWorker {
 public:
  SendWorker(ImageSpool& spool, ReportTarget& target, SendOptions options, Tell tell);
  /// Ends after the report that is being sent; those that wait stay in the spool.
  ~SendWorker();
  SendWorker(const SendWorker&) = delete;
  SendWorker& operator=(const SendWorker&) = delete;

 private:
  void work();
  void send(const std::string& report_uid);
  void settle(const std::string& report_uid, const DeliveryResult& result);
  void put_off(const std::string& report_uid, const IoError& error);
  void pause(std::chrono::milliseconds length);
  bool is_stopping();

  ImageSpool& spool_;
  ReportTarget& target_;
  const SendOptions options_;
  const Tell tell_;
  std::size_t failures_ = 0;  ///< in a row
  std::string told_;          ///< the reason of the last
  std::map<std::string, std::size_t> refusals_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cubcal

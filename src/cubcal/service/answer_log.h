#pragma once

#include <mutex>
#include <string>

namespace cubcal {

/// One line for each answer, added to the end of a file that others may move away (log rotation).
/// For any number of threads.
class AnswerLog {
 public:
  /// Makes the file, for its owner and group alone, where it is not there. Throws IoError.
  explicit AnswerLog(std::string path);
  ~AnswerLog();
  AnswerLog(const AnswerLog&) = delete;
  AnswerLog& operator=(const AnswerLog&) = delete;

  /// The line gets its end here; it is handed to the system in one piece. False where the system
  /// took none of it or only a part: what was cut short is ended before the next line.
  bool add(std::string line);
  /// Opens the path anew, after the file was moved away. Throws IoError and goes on with the old
  /// one.
  void reopen();

 private:
  int open_file() const;

  const std::string path_;
  std::mutex mutex_;
  int descriptor_ = -1;
  bool is_cut_ = false;
};

}  // namespace cubcal

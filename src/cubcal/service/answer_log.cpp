#include "cubcal/service/answer_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cubcal/error.h"

namespace cubcal {

AnswerLog::AnswerLog(std::string path) : path_(std::move(path)), descriptor_(open_file()) {}

AnswerLog::~AnswerLog() { ::close(descriptor_); }

int AnswerLog::open_file() const {
  constexpr ::mode_t kMode = S_IRUSR | S_IWUSR | S_IRGRP;
  const int descriptor =
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);  // NOLINT
  if (descriptor < 0) throw IoError("cannot write '" + path_ + "': " + std::strerror(errno));
  return descriptor;
}

bool AnswerLog::add(std::string line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_cut_) line.insert(line.begin(), '\n');
  line += '\n';
  const ::ssize_t written = ::write(descriptor_, line.data(), line.size());
  const bool is_whole = written == static_cast<::ssize_t>(line.size());
  if (is_whole) {
    is_cut_ = false;
  } else if (written > 0) {
    is_cut_ = true;
  }
  return is_whole;
}

void AnswerLog::reopen() {
  const int descriptor = open_file();
  const std::lock_guard<std::mutex> lock(mutex_);
  ::close(descriptor_);
  descriptor_ = descriptor;
  is_cut_ = false;
}

}  // namespace cubcal

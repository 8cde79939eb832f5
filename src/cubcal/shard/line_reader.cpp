#include "cubcal/shard/line_reader.h"

#include <unistd.h>

#include "cubcal/core/error.h"
#include "cubcal/io/regular_file.h"
#include "cubcal/io/system_error.h"

namespace cubcal {

namespace {

constexpr std::size_t kBlock = std::size_t{32} << 10;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

}  // namespace

bool LineReader::next(std::string& line) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', used_);
    if (end != std::string::npos) {
      line.assign(buffer_, used_, end - used_);
      position_ += end + 1 - used_;
      used_ = end + 1;
      return true;
    }
    if (buffer_.size() - used_ > kLongestLine) {
      throw DataError("a line of '" + path_ + "' is longer than " + std::to_string(kLongestLine) +
                      " bytes");
    }
    if (!refill()) return false;
  }
}

bool LineReader::refill() {
  buffer_.erase(0, used_);
  used_ = 0;
  const int descriptor = open_regular_file(path_).descriptor;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + kBlock);
  const ssize_t got = ::pread(descriptor, buffer_.data() + had, kBlock, static_cast<off_t>(read_));
  if (got < 0) {
    const IoError error = system_error("read", path_);
    ::close(descriptor);
    throw error;
  }
  ::close(descriptor);
  buffer_.resize(had + static_cast<std::size_t>(got));
  read_ += static_cast<std::uint64_t>(got);
  return got > 0;
}

}  // namespace cubcal

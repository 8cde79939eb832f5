#include "cubcal/io/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "cubcal/io/byte_source.h"
#include "cubcal/io/system_error.h"

namespace cubcal {

RegularFile open_regular_file(const std::string& path) {
  // Without O_NONBLOCK opening a pipe would wait for a writer before it can be refused below.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw system_error("open", path);
  struct stat facts {};
  std::string refusal;
  if (::fstat(descriptor, &facts) != 0) {
    refusal = std::generic_category().message(errno);
  } else if (S_ISDIR(facts.st_mode)) {
    refusal = "it is a folder";
  } else if (!S_ISREG(facts.st_mode)) {
    refusal = "it is not a regular file";
  }
  if (!refusal.empty()) {
    ::close(descriptor);
    throw io_error("read", path, refusal);
  }
  return {descriptor, static_cast<std::uint64_t>(facts.st_size)};
}

std::string head_of_file(const std::string& path, std::size_t bytes) {
  const FileSource file(path);
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), bytes)), '\0');
  file.read_at(0, head.data(), head.size());
  return head;
}

}  // namespace cubcal

#include "cubcal/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cubcal/io/mapped_input.h"
#include "cubcal/io/regular_file.h"
#include "cubcal/io/system_error.h"
#include "cubcal/io/temporary_name.h"

namespace cubcal {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

/// Follows symbolic links of an existing path; any other path stays as it is.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

/// What was written survives a loss of power from here on. File systems that cannot do that say
/// EINVAL or ENOTSUP, and keep the contents as well as they can.
void sync_file(int descriptor, const std::string& path) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == ENOTSUP) return;
    throw system_error("write", path);
  }
}

/// The name in the folder survives too, where the folder may be read.
void sync_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  if (::access(folder.empty() ? "." : folder.c_str(), R_OK) == 0) {
    sync_to_disk(folder.empty() ? "." : folder);
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolved(path)) {
  if (path.empty()) throw IoError("cannot write a file whose path is empty");
  struct stat facts {};
  const bool exists = ::stat(target_.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) throw io_error("write", path_, "it is a folder");
  if (!exists && path_.back() == '/') throw io_error("write", path_, "it names a folder");
  if (exists && !S_ISREG(facts.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw system_error("write", path_);
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) throw system_error("write", path_);
  open_temporary();
  // A foreign file system may not know permissions; the contents matter more.
  if (exists && ::fchmod(descriptor_, facts.st_mode & 07777) != 0) errno = 0;
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::open_temporary() {
  static std::atomic<unsigned long> counter{0};
  const std::string folder = folder_of(target_);
  sweep_temporary_files(folder);
  constexpr int attempts = 1000;  // names left behind by killed runs of the same process number
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::string name = folder + temporary_name(counter++);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      temporary_ = std::move(name);
      unfinished_.emplace(temporary_);
      return;
    }
    if (errno != EEXIST) break;
  }
  if (errno == ENOENT) {
    std::error_code ignored;
    const bool is_there =
        std::filesystem::is_directory(folder.empty() ? "." : folder.c_str(), ignored);
    throw io_error("write", path_,
                   is_there ? "its folder takes no new files" : "its folder does not exist");
  }
  throw system_error("write", path_);
}

void AtomicFile::write(const void* bytes, std::size_t count) {
  if (descriptor_ < 0) throw IoError("cannot write '" + path_ + "': it is already closed");
  if (buffer_.size() + count > buffer_size) flush();
  if (count > buffer_size) {
    write_out(static_cast<const char*>(bytes), count);
  } else if (count > 0) {
    buffer_.append(static_cast<const char*>(bytes), count);
  }
  position_ += count;
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw IoError("cannot write '" + path_ + "': it is already closed");
  check_mapped_inputs();
  flush();
  if (!temporary_.empty()) sync_file(descriptor_, path_);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) throw system_error("write", path_);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) throw system_error("write", path_);
  unfinished_.reset();
  temporary_.clear();
  sync_folder_of(target_);
}

void AtomicFile::flush() {
  write_out(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write_out(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = ::write(descriptor_, bytes, count);
    if (done < 0) {
      if (errno == EINTR) continue;
      throw system_error("write", path_);
    }
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  unfinished_.reset();
}

void sync_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw system_error("write", path);
  const auto close_it = [](const int* opened) { ::close(*opened); };
  const std::unique_ptr<const int, decltype(close_it)> closer(&descriptor, close_it);
  sync_file(descriptor, path);
}

void rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw system_error("write", to);
  sync_folder_of(to);
}

void write_file_atomically(const std::string& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

void refuse_link(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode)) {
    throw io_error("write", path,
                   "it is a symbolic link, where a file of the folder itself belongs");
  }
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw io_error("make the folder", path, error.message());
}

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  const int descriptor = open_regular_file(path).descriptor;
  const auto close_it = [](const int* opened) { ::close(*opened); };
  const std::unique_ptr<const int, decltype(close_it)> closer(&descriptor, close_it);
  std::string text;
  std::string block(buffer_size, '\0');
  for (;;) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0) {
      if (errno == EINTR) continue;
      throw system_error("read", path);
    }
    if (got == 0) return text;
    if (static_cast<std::size_t>(got) > max_bytes - text.size()) {
      throw DataError("'" + path + "' holds more than the " + std::to_string(max_bytes) +
                      " bytes accepted here");
    }
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace cubcal

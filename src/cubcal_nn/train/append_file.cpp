#include "cubcal_nn/train/append_file.h"

#include <filesystem>

#include "cubcal/io/atomic_file.h"
#include "cubcal/io/system_error.h"

namespace cubcal {

AppendFile::AppendFile(const std::string& path, std::uint64_t length)
    : path_(path), length_(length) {
  refuse_link(path);
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  if (exists) {
    if (std::filesystem::file_size(path, error) < length) {
      throw DataError("'" + path + "' is shorter than the checkpoint says: it was changed since");
    }
    std::filesystem::resize_file(path, length, error);
    if (error) throw io_error("cut", path, error.message());
  } else if (length > 0) {
    throw DataError("'" + path + "' is missing, but the checkpoint goes on in it");
  }
  stream_.open(path, std::ios::binary | std::ios::app);
  if (!stream_) throw system_error("write", path);
}

void AppendFile::append(std::string_view record) {
  stream_.write(record.data(), static_cast<std::streamsize>(record.size()));
  stream_.flush();
  if (!stream_) throw system_error("write", path_);
  length_ += record.size();
}

void AppendFile::sync() { sync_to_disk(path_); }

}  // namespace cubcal

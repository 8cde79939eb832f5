#include "cubcal/io/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cubcal/core/parallel.h"
#include "cubcal/io/mapped_input.h"
#include "cubcal/io/system_error.h"

namespace cubcal {

namespace {

class RangeStream final : public ByteStream {
 public:
  RangeStream(std::shared_ptr<const ByteSource> source, std::uint64_t offset, std::uint64_t size)
      : source_(std::move(source)), offset_(offset), remaining_(size) {}

  std::uint64_t remaining() const override { return remaining_; }

  void read(void* out, std::size_t count) override {
    if (count > remaining_) {
      throw DataError("'" + source_->name() + "' ends too early: " + std::to_string(count) +
                      " bytes are expected where " + std::to_string(remaining_) + " are left");
    }
    constexpr std::size_t block = std::size_t{1} << 20;
    const auto read_block = [&](std::size_t first, std::size_t last) {
      source_->read_at(offset_ + first, static_cast<char*>(out) + first, last - first);
    };
    if (count <= block) {
      read_block(0, count);
    } else {
      parallel_blocks(count, block, read_block);
    }
    offset_ += count;
    remaining_ -= count;
  }

  std::shared_ptr<std::byte> take(std::size_t count, std::size_t alignment) override {
    if (count > remaining_ || offset_ % alignment != 0) return nullptr;
    std::shared_ptr<std::byte> memory = source_->map(offset_, count);
    if (memory) {
      offset_ += count;
      remaining_ -= count;
    }
    return memory;
  }

  void finish() override {}

 private:
  std::shared_ptr<const ByteSource> source_;
  std::uint64_t offset_;
  std::uint64_t remaining_;
};

}  // namespace

void ByteSource::read_at(std::uint64_t offset, void* out, std::size_t count) const {
  if (offset > size_ || count > size_ - offset) {
    throw DataError("'" + name_ + "' ends too early: bytes " + std::to_string(offset) + " to " +
                    std::to_string(offset) + "+" + std::to_string(count) +
                    " are expected in a file of " + std::to_string(size_) + " bytes");
  }
  if (count > 0) read_within(offset, out, count);
}

std::shared_ptr<std::byte> FileSource::map(std::uint64_t offset, std::size_t count) const {
  if (count == 0 || offset > size() || count > size() - offset) return nullptr;
  return map_input(descriptor_, name(), offset, count);
}

FileSource::~FileSource() { ::close(descriptor_); }

void FileSource::read_within(std::uint64_t offset, void* out, std::size_t count) const {
  char* next = static_cast<char*>(out);
  while (count > 0) {
    // Linux transfers at most 0x7ffff000 bytes per call; the loop takes care of the rest.
    const ssize_t got = ::pread(descriptor_, next, count, static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw system_error("read", name());
    }
    if (got == 0) throw DataError("'" + name() + "' became shorter while it was being read");
    next += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

MemorySource::MemorySource(std::string name, std::string_view bytes)
    : ByteSource(std::move(name), bytes.size()), bytes_(bytes.data()) {}

void MemorySource::read_within(std::uint64_t offset, void* out, std::size_t count) const {
  std::memcpy(out, bytes_ + offset, count);
}

std::unique_ptr<ByteStream> open_range(std::shared_ptr<const ByteSource> source,
                                       std::uint64_t offset, std::uint64_t size) {
  if (offset > source->size() || size > source->size() - offset) {
    throw DataError("'" + source->name() + "' ends too early: a range of " + std::to_string(size) +
                    " bytes at " + std::to_string(offset) + " leaves a file of " +
                    std::to_string(source->size()) + " bytes");
  }
  return std::make_unique<RangeStream>(std::move(source), offset, size);
}

}  // namespace cubcal

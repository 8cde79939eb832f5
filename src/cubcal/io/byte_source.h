#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cubcal/io/regular_file.h"

namespace cubcal {

/// Random access to the bytes of a file or of memory. Readers of file formats stand on this, so
/// that the same code reads from disk and from a buffer. Safe to read from several threads at once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  std::uint64_t size() const { return size_; }
  /// The path, or what the caller called the buffer: what error messages name.
  const std::string& name() const { return name_; }
  /// Fills out[0, count). Throws DataError where the range leaves the source, and IoError where
  /// the operating system refuses.
  void read_at(std::uint64_t offset, void* out, std::size_t count) const;
  /// The bytes themselves as private, writable memory, without a copy; null where the source
  /// cannot.
  virtual std::shared_ptr<std::byte> map(std::uint64_t /*offset*/, std::size_t /*count*/) const {
    return nullptr;
  }

 protected:
  ByteSource(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}

 private:
  virtual void read_within(std::uint64_t offset, void* out, std::size_t count) const = 0;

  std::string name_;
  std::uint64_t size_;
};

/// A regular file, held open. Throws IoError where it cannot be opened, or is a folder or a pipe.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : FileSource(path, open_regular_file(path)) {}
  ~FileSource() override;
  std::shared_ptr<std::byte> map(std::uint64_t offset, std::size_t count) const override;

 private:
  FileSource(const std::string& path, RegularFile file)
      : ByteSource(path, file.size), descriptor_(file.descriptor) {}
  void read_within(std::uint64_t offset, void* out, std::size_t count) const override;

  int descriptor_;
};

/// Memory that belongs to the caller and outlives the source.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes);

 private:
  void read_within(std::uint64_t offset, void* out, std::size_t count) const override;

  const char* bytes_;
};

/// Bytes read once, from front to back: the whole of a file, or a member of an archive.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Bytes not read yet, as far as the format declares them.
  virtual std::uint64_t remaining() const = 0;
  /// Fills out[0, count) or throws DataError.
  virtual void read(void* out, std::size_t count) = 0;
  /// Takes the next `count` bytes as memory of their own, without copying them and aligned to
  /// `alignment`; null, and nothing taken, where that cannot be had. What others write
  /// to the file until the memory is released shows in it: see mapped_input.h.
  virtual std::shared_ptr<std::byte> take(std::size_t /*count*/, std::size_t /*alignment*/) {
    return nullptr;
  }
  /// Throws DataError where the bytes read do not match their checksum, if the format has one.
  /// To be called after the last byte was read.
  virtual void finish() = 0;
};

/// Opens a byte range of a source as a stream; large reads use several threads.
std::unique_ptr<ByteStream> open_range(std::shared_ptr<const ByteSource> source,
                                       std::uint64_t offset, std::uint64_t size);

}  // namespace cubcal

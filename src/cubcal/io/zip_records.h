#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The records of the zip format (PKWARE APPNOTE 6.3), all little endian.
namespace cubcal::zip {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;

constexpr std::size_t local_size = 30;
constexpr std::size_t central_size = 46;
constexpr std::size_t end_size = 22;
constexpr std::size_t end64_size = 56;
constexpr std::size_t locator64_size = 20;

/// A 16- or 32-bit field with this value stands for one in a zip64 record.
constexpr std::uint16_t in_zip64_16 = 0xFFFF;
constexpr std::uint32_t in_zip64_32 = 0xFFFFFFFF;
constexpr std::uint16_t zip64_extra_id = 0x0001;

constexpr std::uint16_t stored = 0;
constexpr std::uint16_t deflated = 8;

/// Takes fields off the front of a record. Asking for more than is left gives zeros and makes
/// ok() false, so that a caller can read a whole record and check once.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size(); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::string_view text(std::size_t count) {
    if (count > bytes_.size()) {
      ok_ = false;
      count = bytes_.size();
    }
    const std::string_view front = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return front;
  }
  void skip(std::size_t count) { text(count); }

 private:
  std::uint64_t number(std::size_t width) {
    const std::string_view digits = text(width);
    std::uint64_t value = 0;
    for (std::size_t i = digits.size(); i-- > 0;) {
      value = (value << 8) | static_cast<unsigned char>(digits[i]);
    }
    return ok_ ? value : 0;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

/// Appends fields to a record.
class FieldWriter {
 public:
  FieldWriter& u16(std::uint64_t value) { return number(value, 2); }
  FieldWriter& u32(std::uint64_t value) { return number(value, 4); }
  FieldWriter& u64(std::uint64_t value) { return number(value, 8); }
  FieldWriter& text(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  FieldWriter& number(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFF);
    return *this;
  }

  std::string bytes_;
};

}  // namespace cubcal::zip

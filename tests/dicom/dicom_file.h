#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cubcal/dicom/dicom_dataset.h"

namespace cubcal::test {

/// Puts DICOM files together by hand, in each of the three uncompressed encodings, and with pixels
/// in fragments.
class DicomFileBuilder {
 public:
  enum class Encoding { kImplicit, kExplicit, kBigEndian };

  explicit DicomFileBuilder(Encoding encoding = Encoding::kExplicit) : encoding_(encoding) {}

  /// The elements every gray image has: 1 value per pixel, unsigned, all allocated bits stored.
  static DicomFileBuilder gray(std::uint16_t height, std::uint16_t width, std::uint16_t bits,
                               Encoding encoding = Encoding::kExplicit) {
    DicomFileBuilder file(encoding);
    file.text(0x00080060, "CS", "OT");
    file.text(0x00280004, "CS", "MONOCHROME2");
    file.words(0x00280002, {1}).words(0x00280010, {height}).words(0x00280011, {width});
    file.words(0x00280100, {bits}).words(0x00280101, {bits});
    file.words(0x00280102, {static_cast<std::uint16_t>(bits - 1)}).words(0x00280103, {0});
    return file;
  }

  DicomFileBuilder& text(DicomTag tag, const std::string& kind, std::string value) {
    if (value.size() % 2 != 0) value += kind == "UI" ? '\0' : ' ';
    return put(tag, kind, value);
  }

  DicomFileBuilder& words(DicomTag tag, const std::vector<std::uint16_t>& values,
                          const std::string& kind = "US") {
    std::string bytes;
    for (const std::uint16_t value : values) bytes += number(value, 2);
    return put(tag, kind, bytes);
  }

  DicomFileBuilder& bytes(DicomTag tag, const std::string& kind, std::string value) {
    if (value.size() % 2 != 0) value += '\0';
    return put(tag, kind, value);
  }

  /// Items of one sequence, each made with a builder of the same encoding.
  DicomFileBuilder& sequence(DicomTag tag, const std::vector<DicomFileBuilder>& items,
                             bool undefined_lengths) {
    std::string value;
    for (const DicomFileBuilder& item : items) {
      const std::string inside = item.dataset();
      value += tag_bytes(0xfffee000);
      value += number(undefined_lengths ? 0xffffffffU : inside.size(), 4) + inside;
      if (undefined_lengths) value += tag_bytes(0xfffee00d) + number(0, 4);
    }
    if (undefined_lengths) value += tag_bytes(0xfffee0dd) + number(0, 4);
    elements_[tag] = head(tag, "SQ", undefined_lengths ? 0xffffffffU : value.size()) + value;
    return *this;
  }

  /// Pixels in fragments, after an offset table.
  DicomFileBuilder& fragments(const std::vector<std::string>& items) {
    std::string value;
    for (const std::string& item : items) {
      value += tag_bytes(0xfffee000) + number(item.size(), 4) + item;
    }
    value += tag_bytes(0xfffee0dd) + number(0, 4);
    elements_[0x7fe00010] = head(0x7fe00010, "OB", 0xffffffffU) + value;
    return *this;
  }

  DicomFileBuilder& without(DicomTag tag) {
    elements_.erase(tag);
    return *this;
  }

  std::string dataset() const {
    std::string bytes;
    for (const auto& [tag, element] : elements_) bytes += element;
    return bytes;
  }

  std::string file(const std::string& transfer_syntax) const {
    DicomFileBuilder meta;
    meta.text(0x00020010, "UI", transfer_syntax);
    return std::string(128, '\0') + "DICM" + meta.dataset() + dataset();
  }

  std::string file() const {
    switch (encoding_) {
      case Encoding::kImplicit: return file("1.2.840.10008.1.2");
      case Encoding::kBigEndian: return file("1.2.840.10008.1.2.2");
      default: return file("1.2.840.10008.1.2.1");
    }
  }

 private:
  DicomFileBuilder& put(DicomTag tag, const std::string& kind, const std::string& value) {
    elements_[tag] = head(tag, kind, value.size()) + value;
    return *this;
  }

  std::string number(std::size_t value, int count) const {
    std::string bytes;
    for (int i = 0; i < count; ++i) {
      const int place = encoding_ == Encoding::kBigEndian ? count - 1 - i : i;
      bytes += static_cast<char>(value >> (8 * place) & 0xff);
    }
    return bytes;
  }

  std::string tag_bytes(DicomTag tag) const {
    return number(tag >> 16, 2) + number(tag & 0xffff, 2);
  }

  std::string head(DicomTag tag, const std::string& kind, std::size_t length) const {
    if (encoding_ == Encoding::kImplicit) return tag_bytes(tag) + number(length, 4);
    const bool is_long = kind == "OB" || kind == "OW" || kind == "SQ" || kind == "UN";
    return tag_bytes(tag) + kind + (is_long ? number(0, 2) + number(length, 4) : number(length, 2));
  }

  Encoding encoding_;
  std::map<DicomTag, std::string> elements_;
};

}  // namespace cubcal::test

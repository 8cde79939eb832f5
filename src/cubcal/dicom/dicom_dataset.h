#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The data elements of a DICOM file (PS3.5, section 7), as far as decoding an image needs them.
/// Every function throws DataError with the reason alone; the caller adds the name of the file.
namespace cubcal {

/// Group and element number: (0028,0010) is 0x00280010.
using DicomTag = std::uint32_t;

/// "(0028,0010)".
std::string dicom_tag_text(DicomTag tag);

/// How the elements of a data set lie in the file.
struct DicomEncoding {
  bool explicit_vr = true;
  bool big_endian = false;
};

struct DicomElement {
  DicomTag tag = 0;
  std::string_view value = {};    ///< without the delimiter where the length is undefined
  bool undefined_length = false;  ///< a sequence, or pixels in fragments
  bool words = false;             ///< explicitly OW: 16-bit words in the byte order of the file
  DicomEncoding inside = {};      ///< of the items, where it is a sequence
};

/// A data set or an item of a sequence. Refers to the bytes and outlives nothing.
class DicomDataset {
 public:
  /// Reads elements up to `last`, which is read too, or the end. Lengths are held against the bytes
  /// that are there; nothing is copied.
  DicomDataset(std::string_view bytes, DicomEncoding encoding, DicomTag last = 0xffffffffU);

  /// Null where there is none.
  const DicomElement* find(DicomTag tag) const;

  /// Text without the blanks and zeros around it; empty where there is none.
  std::string text(DicomTag tag) const;
  /// The first number of a decimal or integer string; none where it is absent or empty.
  std::optional<double> decimal(DicomTag tag) const;
  /// A 16-bit number, none where it is absent or empty.
  std::optional<std::uint16_t> word(DicomTag tag, std::size_t index = 0) const;
  /// All 16-bit numbers; empty where there is no such element.
  std::vector<std::uint16_t> words(DicomTag tag) const;
  /// An item of a sequence; none where there is no such sequence or item.
  std::optional<DicomDataset> item(DicomTag sequence, std::size_t index) const;

 private:
  std::vector<DicomElement> elements_;
  DicomEncoding encoding_;
};

/// The items of encapsulated pixels: the offset table, which may be empty, then the fragments.
std::vector<std::string_view> dicom_fragments(const DicomElement& pixels);

/// Number of 32 bits, least significant byte first. Needs 4 bytes at the offset.
std::uint32_t dicom_u32(std::string_view bytes, std::size_t offset);

struct DicomFile {
  std::string transfer_syntax;  ///< the UID; empty where the file does not say
  DicomDataset dataset;
  std::shared_ptr<const std::string> inflated = {};  ///< what the data set refers to where the file
                                                     ///< is compressed as a whole
};

/// Whether the bytes have "DICM" after 128 bytes.
bool has_dicom_preamble(std::string_view bytes);

/// Whether the bytes are a DICOM file: "DICM" after 128 bytes, or, without this preamble, two
/// plausible elements that a data set starts with.
bool is_dicom(std::string_view bytes);

/// Reads the elements of a whole file up to `last`. A file that is compressed as a whole
/// ("deflated") is decompressed first.
DicomFile read_dicom(std::string_view bytes, DicomTag last);

}  // namespace cubcal

#include "cubcal/dicom/dicom_dataset.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "cubcal/core/error.h"
#include "cubcal/io/inflate.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr std::uint32_t kUndefinedLength = 0xffffffffU;
constexpr DicomTag kItem = 0xfffee000U;
constexpr DicomTag kItemEnd = 0xfffee00dU;
constexpr DicomTag kSequenceEnd = 0xfffee0ddU;
constexpr DicomTag kLastTag = 0x7fe00010;  // the pixels
constexpr DicomTag kTransferSyntax = 0x00020010;
constexpr DicomTag kLastOfFileMeta = 0x0002ffff;
constexpr std::size_t kPreamble = 128;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostElements = 100'000;
constexpr std::size_t kMostInflated = std::size_t{1} << 29;  // as large as a file may be
/// Far beyond any use, and far from where arithmetic overflows.
constexpr double kLargestNumber = 1e30;

constexpr std::string_view kImplicitLittle = "1.2.840.10008.1.2";
constexpr std::string_view kExplicitBig = "1.2.840.10008.1.2.2";
constexpr std::string_view kDeflated = "1.2.840.10008.1.2.1.99";

/// Kinds of values whose length has 2 bytes, and those whose length has 4 after 2 empty ones.
constexpr std::string_view kShortKinds =
    "AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US";
constexpr std::string_view kLongKinds = "OB OD OF OL OV OW SQ SV UC UN UR UT UV";

bool is_kind(std::string_view kinds, std::string_view kind) {
  for (std::size_t i = 0; i < kinds.size(); i += 3) {
    if (kinds.substr(i, 2) == kind) return true;
  }
  return false;
}

unsigned byte_at(std::string_view bytes, std::size_t offset) {
  return static_cast<unsigned char>(bytes[offset]);
}

std::uint16_t u16(std::string_view bytes, std::size_t offset, bool big_endian) {
  const unsigned first = byte_at(bytes, offset);
  const unsigned second = byte_at(bytes, offset + 1);
  return static_cast<std::uint16_t>(big_endian ? first << 8 | second : second << 8 | first);
}

std::uint32_t u32(std::string_view bytes, std::size_t offset, bool big_endian) {
  const std::uint32_t first = u16(bytes, offset, big_endian);
  const std::uint32_t second = u16(bytes, offset + 2, big_endian);
  return big_endian ? first << 16 | second : second << 16 | first;
}

DataError cut_short(DicomTag tag) {
  return DataError("it is cut short in the element " + dicom_tag_text(tag));
}

/// What stands before a value.
struct Head {
  DicomTag tag = 0;
  std::string_view kind = {};  ///< empty where it is implicit
  std::uint32_t length = 0;
  std::size_t size = 0;  ///< of the head itself
};

class Walker {
 public:
  Walker(std::string_view bytes, DicomEncoding encoding) : bytes_(bytes), encoding_(encoding) {}

  std::size_t position() const { return position_; }
  bool at_end() const { return position_ == bytes_.size(); }

  Head read_head() {
    need(8, 0);
    Head head;
    head.tag = std::uint32_t{u16(bytes_, position_, encoding_.big_endian)} << 16 |
               u16(bytes_, position_ + 2, encoding_.big_endian);
    head.size = 8;
    const bool is_delimiter = head.tag >> 16 == kItem >> 16;
    if (!encoding_.explicit_vr || is_delimiter) {
      head.length = u32(bytes_, position_ + 4, encoding_.big_endian);
    } else {
      head.kind = bytes_.substr(position_ + 4, 2);
      if (is_kind(kShortKinds, head.kind)) {
        head.length = u16(bytes_, position_ + 6, encoding_.big_endian);
      } else if (is_kind(kLongKinds, head.kind)) {
        need(12, head.tag);
        head.length = u32(bytes_, position_ + 8, encoding_.big_endian);
        head.size = 12;
      } else {
        throw DataError("the element " + dicom_tag_text(head.tag) +
                        " is of no kind that DICOM has: it is damaged");
      }
    }
    position_ += head.size;
    return head;
  }

  DicomElement read_value(const Head& head, std::size_t depth) {
    DicomElement element;
    element.tag = head.tag;
    element.words = head.kind == "OW";
    element.inside = encoding_;
    // The items of an unknown sequence are always implicit and little endian.
    if (head.kind == "UN") element.inside = {/*explicit_vr=*/false, /*big_endian=*/false};
    const std::size_t start = position_;
    if (head.length != kUndefinedLength) {
      need(head.length, head.tag);
      position_ += head.length;
      element.value = bytes_.substr(start, head.length);
      return element;
    }
    element.undefined_length = true;
    Walker inside(bytes_.substr(start), element.inside);
    const std::size_t size = inside.skip_items(head.tag, depth);
    element.value = bytes_.substr(start, size);
    position_ = start + inside.position();
    return element;
  }

  /// To the delimiter of a sequence and past it; returns where the delimiter starts.
  std::size_t skip_items(DicomTag sequence, std::size_t depth) {
    if (depth == kDeepest) throw DataError("its sequences are nested too deep");
    for (;;) {
      const std::size_t start = position_;
      if (at_end()) throw cut_short(sequence);
      const Head head = read_head();
      if (head.tag == kSequenceEnd) return start;
      if (head.tag != kItem) {
        throw DataError("the sequence " + dicom_tag_text(sequence) + " is damaged");
      }
      if (head.length != kUndefinedLength) {
        need(head.length, sequence);
        position_ += head.length;
      } else {
        skip_elements(sequence, depth + 1);
      }
    }
  }

  /// To the delimiter of an item and past it.
  void skip_elements(DicomTag sequence, std::size_t depth) {
    for (;;) {
      if (at_end()) throw cut_short(sequence);
      const Head head = read_head();
      if (head.tag == kItemEnd) return;
      read_value(head, depth);
    }
  }

 private:
  void need(std::size_t count, DicomTag tag) const {
    if (count > bytes_.size() - position_) {
      throw tag == 0 ? DataError("it is cut short") : cut_short(tag);
    }
  }

  std::string_view bytes_;
  DicomEncoding encoding_;
  std::size_t position_ = 0;
};

/// The head of an element where one plausibly starts; none where it does not.
std::optional<Head> plausible_head(std::string_view bytes, DicomEncoding encoding) {
  try {
    Walker walker(bytes, encoding);
    const Head head = walker.read_head();
    if (head.length == kUndefinedLength) return std::nullopt;
    walker.read_value(head, 0);
    return head;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

/// How the elements of a file without preamble lie, where its first two look like such: the first
/// is of group 0002 or 0008, and the second comes after it.
std::optional<DicomEncoding> encoding_without_preamble(std::string_view bytes) {
  for (const bool explicit_vr : {true, false}) {
    const DicomEncoding encoding{explicit_vr, /*big_endian=*/false};
    const std::optional<Head> first = plausible_head(bytes, encoding);
    if (!first || (first->tag >> 16 != 0x0002 && first->tag >> 16 != 0x0008)) continue;
    const std::string_view rest = bytes.substr(first->size + first->length);
    // What follows the elements of group 0002 may lie differently.
    for (const bool second_explicit : {explicit_vr, first->tag >> 16 != 0x0002 && explicit_vr}) {
      const std::optional<Head> second = plausible_head(rest, {second_explicit, false});
      if (second && second->tag > first->tag && second->tag <= kLastTag) return encoding;
    }
  }
  return std::nullopt;
}

/// The length of the elements of group 0002, which are always explicit and little endian.
std::size_t file_meta_size(std::string_view bytes) {
  Walker walker(bytes, {});
  while (walker.position() + 2 <= bytes.size() && u16(bytes, walker.position(), false) == 0x0002) {
    walker.read_value(walker.read_head(), 0);
  }
  return walker.position();
}

}  // namespace

std::string dicom_tag_text(DicomTag tag) {
  char text[16];
  std::snprintf(text, sizeof text, "(%04X,%04X)", tag >> 16, tag & 0xffffU);
  return text;
}

DicomDataset::DicomDataset(std::string_view bytes, DicomEncoding encoding, DicomTag last)
    : encoding_(encoding) {
  Walker walker(bytes, encoding);
  while (!walker.at_end()) {
    const Head head = walker.read_head();
    if (head.tag > last) break;
    if (elements_.size() == kMostElements) throw DataError("it has more than 100000 elements");
    elements_.push_back(walker.read_value(head, 0));
    if (head.tag == last) break;
  }
}

const DicomElement* DicomDataset::find(DicomTag tag) const {
  const auto found = std::find_if(elements_.begin(), elements_.end(),
                                  [&](const DicomElement& element) { return element.tag == tag; });
  return found == elements_.end() ? nullptr : &*found;
}

std::string DicomDataset::text(DicomTag tag) const {
  const DicomElement* element = find(tag);
  if (element == nullptr) return "";
  constexpr std::string_view kBlanks(" \t\0", 3);
  const std::size_t first = element->value.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  const std::size_t last = element->value.find_last_not_of(kBlanks);
  return std::string(element->value.substr(first, last - first + 1));
}

std::optional<double> DicomDataset::decimal(DicomTag tag) const {
  const std::string all = text(tag);
  std::string_view first = std::string_view(all).substr(0, all.find('\\'));
  while (!first.empty() && (first.back() == ' ' || first.back() == '\0')) first.remove_suffix(1);
  if (first.empty()) return std::nullopt;
  if (first.front() == '+') first.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), value);
  const bool is_number = error == std::errc() && end == first.data() + first.size();
  if (!is_number || !(std::abs(value) <= kLargestNumber)) {
    throw DataError("the element " + dicom_tag_text(tag) +
                    " is not a number that can be used: " + in_quotes(first));
  }
  return value;
}

std::optional<std::uint16_t> DicomDataset::word(DicomTag tag, std::size_t index) const {
  const DicomElement* element = find(tag);
  if (element == nullptr || element->value.size() < 2 * (index + 1)) return std::nullopt;
  return u16(element->value, 2 * index, encoding_.big_endian);
}

std::vector<std::uint16_t> DicomDataset::words(DicomTag tag) const {
  std::vector<std::uint16_t> all;
  const DicomElement* element = find(tag);
  if (element == nullptr) return all;
  for (std::size_t i = 0; i + 2 <= element->value.size(); i += 2) {
    all.push_back(u16(element->value, i, encoding_.big_endian));
  }
  return all;
}

std::optional<DicomDataset> DicomDataset::item(DicomTag sequence, std::size_t index) const {
  const DicomElement* element = find(sequence);
  if (element == nullptr) return std::nullopt;
  Walker walker(element->value, element->inside);
  for (std::size_t i = 0; !walker.at_end(); ++i) {
    const Head head = walker.read_head();
    if (head.tag != kItem) break;
    const std::size_t start = walker.position();
    std::size_t size = head.length;
    if (head.length != kUndefinedLength) {
      walker.read_value(head, 0);
    } else {
      walker.skip_elements(sequence, 0);
      size = walker.position() - 8 - start;
    }
    if (i == index) return DicomDataset(element->value.substr(start, size), element->inside);
  }
  return std::nullopt;
}

std::vector<std::string_view> dicom_fragments(const DicomElement& pixels) {
  std::vector<std::string_view> items;
  Walker walker(pixels.value, {});
  while (!walker.at_end()) {
    const Head head = walker.read_head();
    if (head.tag != kItem || head.length == kUndefinedLength) {
      throw DataError("its pixel fragments are damaged");
    }
    items.push_back(walker.read_value(head, 0).value);
  }
  return items;
}

std::uint32_t dicom_u32(std::string_view bytes, std::size_t offset) {
  return u32(bytes, offset, /*big_endian=*/false);
}

bool has_dicom_preamble(std::string_view bytes) {
  return bytes.size() >= kPreamble + 4 && bytes.substr(kPreamble, 4) == "DICM";
}

bool is_dicom(std::string_view bytes) {
  return has_dicom_preamble(bytes) || encoding_without_preamble(bytes).has_value();
}

DicomFile read_dicom(std::string_view bytes, DicomTag last) {
  if (has_dicom_preamble(bytes)) bytes.remove_prefix(kPreamble + 4);
  const std::size_t meta_size = file_meta_size(bytes);
  const DicomDataset meta(bytes.substr(0, meta_size), {}, kLastOfFileMeta);
  const std::string_view rest = bytes.substr(meta_size);
  std::string syntax = meta.text(kTransferSyntax);
  if (syntax == kDeflated) {
    const auto inflated = std::make_shared<const std::string>(inflate_raw(rest, kMostInflated));
    return {syntax, DicomDataset(*inflated, {}, last), inflated};
  }
  DicomEncoding encoding{syntax != kImplicitLittle, syntax == kExplicitBig};
  if (syntax.empty()) {
    encoding = encoding_without_preamble(rest).value_or(DicomEncoding{false, false});
    syntax = encoding.explicit_vr ? "1.2.840.10008.1.2.1" : std::string(kImplicitLittle);
  }
  return {syntax, DicomDataset(rest, encoding, last)};
}

}  // namespace cubcal

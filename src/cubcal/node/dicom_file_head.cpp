#include "cubcal/node/dicom_file_head.h"

#include <cstddef>

#include "cubcal/spool/derived_uid.h"

namespace cubcal {

namespace {

std::string little_endian(std::size_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
  return text;
}

/// An element of the group 0002 with a length of two bytes.
std::string element(std::size_t number, const char* kind, std::string value) {
  if (value.size() % 2 != 0) value += kind == std::string("UI") ? '\0' : ' ';
  return little_endian(2, 2) + little_endian(number, 2) + kind + little_endian(value.size(), 2) +
         value;
}

}  // namespace

std::string dicom_file_head(const std::string& sop_class, const std::string& sop_uid,
                            const std::string& transfer_syntax) {
  // OB has two bytes that are kept free and a length of four.
  const std::string version = little_endian(2, 2) + little_endian(1, 2) + "OB" +
                              little_endian(0, 2) + little_endian(2, 4) + std::string("\0\1", 2);
  const std::string rest = version + element(0x0002, "UI", sop_class) +
                           element(0x0003, "UI", sop_uid) + element(0x0010, "UI", transfer_syntax) +
                           element(0x0012, "UI", derived_uid("cubcal")) +
                           element(0x0013, "SH", "CUBCAL");
  return std::string(128, '\0') + "DICM" + element(0x0000, "UL", little_endian(rest.size(), 4)) +
         rest;
}

}  // namespace cubcal

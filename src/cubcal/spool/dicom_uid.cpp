#include "cubcal/spool/dicom_uid.h"

namespace cubcal {

bool is_dicom_uid(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  if (text.empty() || text.size() > kLongest) return false;
  char before = '.';
  for (const char each : text) {
    const bool is_digit = each >= '0' && each <= '9';
    if (!is_digit && (each != '.' || before == '.')) return false;
    before = each;
  }
  return before != '.';
}

}  // namespace cubcal

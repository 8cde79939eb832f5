#include "cubcal_nn/dicomnet/ae_address.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

void check_ae_title(const std::string& title) {
  constexpr std::size_t kLongest = 16;
  const bool is_printable = std::all_of(title.begin(), title.end(), [](char each) {
    return each >= ' ' && each <= '~' && each != '\\';
  });
  if (title.empty() || title.size() > kLongest || !is_printable || title.front() == ' ' ||
      title.back() == ' ') {
    throw ArgumentError(
        "an AE title is 1 to 16 ASCII characters without a backslash or blanks at the ends, not " +
        in_quotes(title));
  }
}

AeAddress parse_ae_address(const std::string& text) {
  const auto refuse = [&]() -> ArgumentError {
    return ArgumentError("an address is AE@HOST:PORT, such as PACS@10.0.0.7:104, not " +
                         in_quotes(text));
  };
  const std::size_t at = text.find('@');
  const std::size_t colon = text.rfind(':');
  if (at == std::string::npos || colon == std::string::npos || colon < at) throw refuse();
  AeAddress address;
  address.title = text.substr(0, at);
  address.host = text.substr(at + 1, colon - at - 1);
  address.port = parse_whole<std::uint16_t>(text.substr(colon + 1)).value_or(0);
  if (address.port == 0) throw refuse();
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  } else if (address.host.find(':') != std::string::npos) {
    throw refuse();
  }
  const bool has_host =
      !address.host.empty() && std::all_of(address.host.begin(), address.host.end(),
                                           [](char each) { return each > ' ' && each <= '~'; });
  if (!has_host) throw refuse();
  check_ae_title(address.title);
  return address;
}

std::string ae_address_text(const AeAddress& address) {
  const bool has_colon = address.host.find(':') != std::string::npos;
  return address.title + "@" + (has_colon ? "[" + address.host + "]" : address.host) + ":" +
         std::to_string(address.port);
}

}  // namespace cubcal

#pragma once

#include <cstdint>
#include <string>

namespace cubcal {

/// Throws ArgumentError where the text is not an application entity title: 1 to 16 printable ASCII
/// characters, no backslash, not blanks alone.
void check_ae_title(const std::string& title);

/// An application entity and where it listens.
struct AeAddress {
  std::string title;
  std::string host;
  std::uint16_t port = 0;
};

/// "AE@HOST:PORT", HOST in brackets where it has colons. Throws ArgumentError for anything else.
AeAddress parse_ae_address(const std::string& text);

/// The same text again.
std::string ae_address_text(const AeAddress& address);

}  // namespace cubcal

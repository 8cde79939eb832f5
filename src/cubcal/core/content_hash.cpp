#include "cubcal/core/content_hash.h"

#include "cubcal/core/checksums.h"
#include "cubcal/core/error.h"

namespace cubcal {

void ContentHash::add(const void* bytes, std::size_t count) {
  const auto* values = static_cast<const unsigned char*>(bytes);
  std::uint64_t state = state_;
  for (std::size_t i = 0; i < count; ++i) state = (state ^ values[i]) * 1099511628211ULL;
  state_ = state;
}

void ContentHash::add(const std::string& text) {
  const auto length = static_cast<std::uint64_t>(text.size());
  add(&length, sizeof length);
  add(text.data(), text.size());
}

std::string ContentHash::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(state_ >> shift) & 15U];
  return text;
}

std::string content_hash(const std::string& text) {
  ContentHash hash;
  hash.add(text.data(), text.size());
  return hash.text();
}

void check_content_hash(const std::string& text, const std::string& stored,
                        const std::string& name) {
  if (!checksums_count || content_hash(text) == stored) return;
  throw DataError(name + " is not the one its hash '" + stored.substr(0, 32) +
                  "' was made of: the file was damaged or edited");
}

}  // namespace cubcal

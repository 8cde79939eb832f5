#include "cubcal/http/bearer_token.h"

#include <algorithm>
#include <filesystem>

#include "cubcal/core/words.h"
#include "cubcal/http/http_error.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal {

bool equal_in_constant_time(std::string_view given, std::string_view wanted) {
  // Every character of `given` is looked at; only its length, which the sender knows, shows.
  unsigned char difference = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = wanted.empty() ? '\0' : wanted[i % wanted.size()];
    difference = static_cast<unsigned char>(difference | (given[i] ^ other));
  }
  const volatile unsigned char result = difference;
  return result == 0;
}

void check_bearer(const HttpHeaders& headers, const std::string& token) {
  const std::string value = header_of(headers, "authorization").value_or("");
  constexpr std::size_t kScheme = 7;
  const bool is_bearer = lower_case(value.substr(0, kScheme)) == "bearer ";
  const std::string given = is_bearer ? std::string(trimmed(value.substr(kScheme))) : "";
  if (!equal_in_constant_time(given, token)) {
    throw HttpError(401, "this needs the header 'Authorization: Bearer TOKEN' with the token",
                    {{"WWW-Authenticate", "Bearer"}});
  }
}

std::string read_token_file(const std::string& path) {
  constexpr std::size_t kShortest = 16;
  constexpr std::size_t kLongest = 4096;
  std::string text = read_text_file(path, kLongest + 2);
  text = text.substr(0, text.find_first_of("\r\n"));
  const bool is_plain =
      std::all_of(text.begin(), text.end(), [](char each) { return each > ' ' && each <= '~'; });
  if (text.size() < kShortest || text.size() > kLongest || !is_plain) {
    throw DataError("the token in '" + path +
                    "' must have 16 to 4096 letters, digits and signs without blanks");
  }
  const std::filesystem::perms mode = std::filesystem::status(path).permissions();
  if ((mode & std::filesystem::perms::others_read) != std::filesystem::perms::none) {
    throw DataError("everybody may read the token in '" + path + "': chmod 600 it first");
  }
  return text;
}

}  // namespace cubcal

#pragma once

#include <string>
#include <string_view>

#include "cubcal/http/http_message.h"

namespace cubcal {

/// Whether the texts are equal, in a time that does not depend on where they differ.
bool equal_in_constant_time(std::string_view given, std::string_view wanted);

/// Throws HttpError 401 unless `Authorization: Bearer TOKEN` carries the token.
void check_bearer(const HttpHeaders& headers, const std::string& token);

/// The first line of the file, of 16 to 4096 visible characters. Throws IoError, or DataError for
/// another file and for one that everybody may read.
std::string read_token_file(const std::string& path);

}  // namespace cubcal

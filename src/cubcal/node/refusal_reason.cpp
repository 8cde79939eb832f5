#include "cubcal/node/refusal_reason.h"

#include "cubcal/io/system_error.h"

namespace cubcal {

std::string refusal_reason(const IoError& error, const std::string& file) {
  const auto* refused = dynamic_cast<const FileError*>(&error);
  if (refused == nullptr) return error.what();
  return "cannot " + refused->action() + " " + file + ": " + refused->reason();
}

bool is_missing_file(const IoError& error) {
  const auto* refused = dynamic_cast<const FileError*>(&error);
  return refused != nullptr && refused->code() == ENOENT;
}

}  // namespace cubcal

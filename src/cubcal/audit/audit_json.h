#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cubcal/audit/audit.h"

namespace cubcal {

/// `columns` with the groups of each, their `values`, `intervals` and `gaps`, and how they were
/// made; undefined values are null.
nlohmann::ordered_json audit_json(const Audit& audit);

/// What an audit was made of; a text that is empty stands for none.
struct AuditSource {
  std::string file;
  std::string calibration = {};   ///< name of the method
  std::string out_of_scope = {};  ///< which samples are
};

/// The same with what it was made of and by, as text.
std::string audit_document(const Audit& audit, const AuditSource& source);

}  // namespace cubcal

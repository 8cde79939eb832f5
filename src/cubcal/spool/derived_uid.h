#pragma once

#include <string>

namespace cubcal {

/// A UID that follows from a name: "2.25." and the UUID of version 5 (RFC 4122) of the name within
/// the namespace of OIDs, as a decimal number (PS3.5, annex B.2). The same name gives the same UID
/// on every machine.
std::string derived_uid(const std::string& name);

}  // namespace cubcal

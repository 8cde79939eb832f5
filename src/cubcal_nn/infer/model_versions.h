#pragma once

#include <optional>
#include <string>

#include "cubcal/record/model_identity.h"

/// A model with a name has versions. The one in use lies in the model's folder itself; each earlier
/// one is a whole model folder of its own, `versions/<version>` in it (record/model_paths.h).
namespace cubcal {

/// Puts a copy of everything that lies in the folder, other versions aside, where its version is
/// kept. Files are linked where the file system can, since nothing here is ever written in place.
/// Appears whole or not at all; does nothing where it was done before. Throws DataError where
/// another model was kept under this version, IoError where the system refuses. Page and card are
/// then in the kept version alone.
void keep_version(const std::string& folder, const ModelIdentity& identity);

/// Whether that was done. Throws DataError as keep_version.
bool is_kept(const std::string& folder, const ModelIdentity& identity);

/// The next version, after that and all earlier ones that are numbers, made now.
ModelIdentity following(const ModelIdentity& identity, const std::string& folder);

/// Throws ArgumentError where the model that is there or an earlier one has this version, and where
/// it is a number before that of one of them.
void refuse_version_passed(const std::string& folder, const std::optional<ModelIdentity>& there,
                           const std::string& version);

/// Links, or else copies, a file.
void link_file(const std::string& from, const std::string& to);
/// The same of every file of a folder and of those within it but `versions`. Throws IoError where a
/// part of a model is a symbolic link, which would lead the version elsewhere.
void link_files(const std::string& from, const std::string& to);

}  // namespace cubcal

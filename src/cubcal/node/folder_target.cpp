#include "cubcal/node/folder_target.h"

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/spool/spool_folder.h"

namespace cubcal {

FolderTarget::FolderTarget(const std::string& folder) : folder_(folder) { make_folders(folder); }

DeliveryResult FolderTarget::deliver(const std::string& report_uid, const std::string& report) {
  try {
    write_file_atomically(SpoolFolder(folder_, ".dcm").path_of(report_uid), report);
    return {};
  } catch (const IoError& error) {
    return {Delivery::kUnreachable, error.what()};
  }
}

}  // namespace cubcal

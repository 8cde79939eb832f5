#include "cubcal/node/folder_target.h"

#include "cubcal/core/error.h"
#include "cubcal/node/refusal_reason.h"
#include "cubcal/spool/spool_folder.h"

namespace cubcal {

FolderTarget::FolderTarget(const std::string& folder) : folder_(folder) {
  make_private_folder(folder);
}

DeliveryResult FolderTarget::deliver(const std::string& report_uid, const std::string& report) {
  try {
    write_private_file(SpoolFolder(folder_, ".dcm").path_of(report_uid), report);
    return {};
  } catch (const IoError& error) {
    return {Delivery::kUnreachable, refusal_reason(error, "a file of it")};
  }
}

}  // namespace cubcal

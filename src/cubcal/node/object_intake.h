#pragma once

#include <cstdint>
#include <string>

#include "cubcal/spool/image_spool.h"

namespace cubcal {

/// An object as it came over the network.
struct ReceivedObject {
  std::string sop_class;        ///< as the command says
  std::string sop_uid;          ///< as the command says
  std::string transfer_syntax;  ///< as agreed on
  std::string dataset;          ///< as it came
};

/// The status of a C-STORE response (PS3.4, table B.2-1), with a comment where it is a failure or
/// something is to be told.
struct StoreStatus {
  std::uint16_t code = 0;
  std::string comment = {};  ///< without anything of the patient
};

inline constexpr std::uint16_t kStoreSuccess = 0x0000;
inline constexpr std::uint16_t kStoreNoResources = 0xa700;  ///< may be sent again later
inline constexpr std::uint16_t kStoreMismatch = 0xa900;
inline constexpr std::uint16_t kStoreNotUnderstood = 0xc000;

/// The sentence about an image that was known, with other content.
std::string other_content(const ImageSpool& spool);

/// Success only where the image is on the disk, or was answered before.
StoreStatus take_object(ImageSpool& spool, ReceivedObject object);

}  // namespace cubcal

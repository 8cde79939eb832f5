#include "cubcal/io/host_name.h"

#include <unistd.h>

namespace cubcal {

std::string host_name() {
  char host[256] = {};
  return ::gethostname(host, sizeof host - 1) == 0 ? host : "";
}

}  // namespace cubcal

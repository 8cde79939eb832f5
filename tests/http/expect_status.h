#pragma once

#include <gtest/gtest.h>

#include "cubcal/http/http_error.h"

namespace cubcal::test {

/// The status of the HttpError that `call` throws; 0 where it throws none.
template <class Call>
int thrown_status(const Call& call) {
  try {
    call();
  } catch (const HttpError& error) {
    return error.status();
  }
  return 0;
}

}  // namespace cubcal::test

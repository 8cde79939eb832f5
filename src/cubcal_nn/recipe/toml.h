#pragma once

// The one place where toml++ is configured: as a header, with exceptions, and without its
// assertions, which would abort on some malformed files.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

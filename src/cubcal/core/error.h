#pragma once

#include "cubcal/error.h"

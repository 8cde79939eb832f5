#pragma once

#include "cubcal/core/half.h"
#include "cubcal/core/nd_array.h"
#include "cubcal/mc_logits.h"

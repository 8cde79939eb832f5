#pragma once

/// All of the numeric half: arrays in, numbers out, without LibTorch. Networks are behind
/// cubcal/classifier.h, of the component nn.
#include "cubcal/benefit.h"
#include "cubcal/calibrate.h"
#include "cubcal/error.h"
#include "cubcal/evaluate.h"
#include "cubcal/mc_logits.h"
#include "cubcal/predictive.h"
#include "cubcal/prevalence.h"
#include "cubcal/version.h"

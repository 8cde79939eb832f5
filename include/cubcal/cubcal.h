#pragma once

/// All of the numeric half: arrays in, numbers out, without LibTorch. Networks are behind
/// cubcal/classifier.h, of the component nn.
#include "cubcal/audit.h"
#include "cubcal/benefit.h"
#include "cubcal/calibrate.h"
#include "cubcal/conformal.h"
#include "cubcal/counted_share.h"
#include "cubcal/error.h"
#include "cubcal/evaluate.h"
#include "cubcal/mc_logits.h"
#include "cubcal/monitor.h"
#include "cubcal/predictive.h"
#include "cubcal/prevalence.h"
#include "cubcal/sample_column.h"
#include "cubcal/version.h"

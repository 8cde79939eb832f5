#pragma once

#include <vector>

#include "cubcal_nn/kernels/normal_blocks.h"
#include "cubcal_nn/kernels/panel_product.h"

/// The innermost loops of a CPU, compiled once for each kind of vectors it may have: a program for
/// x86-64 must run where there is nothing beyond SSE2, and few processors have so little.
namespace cubcal {

struct VectorKernels {
  const char* vectors;  ///< what they are called
  decltype(&normal_block) normals;
  decltype(&multiply_panels) panels;
};

/// Those that run on this processor, the widest first.
std::vector<VectorKernels> vector_kernels_here();

#ifdef __x86_64__
extern const VectorKernels kAvx2Kernels;
extern const VectorKernels kAvx512Kernels;
#endif

}  // namespace cubcal

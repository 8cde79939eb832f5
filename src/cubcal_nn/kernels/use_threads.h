#pragma once

namespace cubcal {

/// at::set_num_threads for who asks first whether so many can be started: where one cannot, as
/// under a limit on a process's memory or threads, LibTorch waits for it for ever. Throws Error
/// then.
void use_threads(int threads);

}  // namespace cubcal

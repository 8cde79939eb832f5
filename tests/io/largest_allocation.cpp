#include "io/largest_allocation.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace cubcal::test {

namespace {

thread_local std::size_t largest = 0;

}  // namespace

std::size_t largest_allocation() { return largest; }

void reset_largest_allocation() { largest = 0; }

}  // namespace cubcal::test

void* operator new(std::size_t size) {
  cubcal::test::largest = std::max(cubcal::test::largest, size);
  constexpr std::size_t most = std::size_t{1} << 32;
  void* memory = size > most ? nullptr : std::malloc(std::max<std::size_t>(1, size));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t size) { return ::operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return ::operator new(size, tag);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace cubcal::test {

/// Expects `action` to throw exactly an ErrorType whose message holds `words`.
template <class ErrorType, class Action>
void expect_error(Action action, const std::string& words) {
  try {
    action();
  } catch (const ErrorType& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << "the message is: " << error.what() << "\nand lacks:      " << words;
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another type of error: " << error.what();
    return;
  }
  ADD_FAILURE() << "nothing was thrown, expected: " << words;
}

}  // namespace cubcal::test

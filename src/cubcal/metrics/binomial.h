#pragma once

#include <cstddef>

/// Shares of counted events and what they say of the probability behind them.
namespace cubcal {

/// P(X <= count) of X ~ Binomial(trials, probability).
double binomial_cdf(std::size_t count, std::size_t trials, double probability);

/// The largest probability under which `count` events or fewer in `trials` still have a chance of
/// 1 - level (Clopper and Pearson 1934): it is above the true one with probability `level` at
/// least. 1 for no trials.
double upper_bound_of_share(std::size_t count, std::size_t trials, double level);
/// The same from below.
double lower_bound_of_share(std::size_t count, std::size_t trials, double level);

/// P(X <= count) of X ~ Binomial(trials, P) where P itself is drawn from Beta(a, b).
double beta_binomial_cdf(std::size_t count, std::size_t trials, double a, double b);

}  // namespace cubcal

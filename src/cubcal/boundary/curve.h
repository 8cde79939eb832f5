#pragma once

#include <cstddef>

/// The confidence-uncertainty boundary: how much predictive entropy a prediction of confidence c
/// over K classes can have. Everything is in nats.
namespace cubcal {

/// Binary entropy h(c) = -c ln c - (1-c) ln(1-c) with 0 ln 0 = 0; c must lie in [0, 1].
double binary_entropy(double c);

/// U_min(c) = h(c): the rest 1-c in one other class (paper, Eq. u_min).
///
/// Domain c in [1/K, 1], but for rounding (confidence_in_domain); U_min(1) = +0. For c < 1/2 it is
/// a lower bound that no distribution reaches, see u_min_attainable.
double u_min(double c, std::size_t classes);

/// U_max(c, K) = h(c) + (1-c) ln(K-1): the rest spread evenly over the others (paper, Eq. u_max).
///
/// Domain c in [1/K, 1]; U_max(1/K) = ln K, U_max(1) = +0; equal to U_min for K = 2.
double u_max(double c, std::size_t classes);

/// The smallest entropy a distribution over K classes with largest probability c can really have:
/// m = floor(1/c) classes at c and the rest 1 - m c in one more. Equal to U_min for c >= 1/2.
double u_min_attainable(double c, std::size_t classes);

/// The boundary curve (paper, Eq. boundary_ideal): U_min(c) for c > gamma, else U_max(c, K).
double u_ideal(double c, std::size_t classes, double gamma);

/// Checks 1/K <= gamma <= 1, the range in which the curve is defined.
void check_gamma(double gamma, std::size_t classes);

/// Confidence is a sum of rounded probabilities: values within a few rounding errors outside
/// [1/K, 1] are moved onto the end, anything further outside throws ArgumentError.
double confidence_in_domain(double c, std::size_t classes);

}  // namespace cubcal

#pragma once

namespace cubcal {

/// P(T > t) of Student's distribution with `degrees` > 0 degrees of freedom, for t >= 0: half the
/// regularised incomplete beta function I_x(degrees / 2, 1/2) at x = degrees / (degrees + t^2).
/// Relative error below 1e-12; 1/2 at t = 0 and 0 at infinity.
double student_tail(double t, double degrees);

/// The t for which student_tail(t, degrees) is `tail`, 0 < tail <= 1/2.
double student_quantile(double tail, double degrees);

}  // namespace cubcal

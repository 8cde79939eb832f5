#pragma once

/// How far apart numbers may be that mean the same. Wherever two computed numbers are compared, one
/// of these is the slack.
namespace cubcal {

/// Of a count that a share gives: 0.7 * 10 is 7.000000000000001 in floating point and means 7.
inline constexpr double kCountSlack = 1e-9;
/// Of a number in a file that others computed, past a bound it can reach but not pass.
inline constexpr double kBoundSlack = 1e-9;
/// Of sums of doubles, relative or of sums near 1: the same terms added in another order.
inline constexpr double kSumRounding = 1e-12;
/// Of a prediction of float32 logits, which is good to about 1e-8.
inline constexpr double kPredictionRounding = 1e-7;

}  // namespace cubcal

// Where a sweep looks: points that fill the unit cube evenly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reeve::experiments {

/// One coordinate per dimension, each in [0, 1).
using DesignPoint = std::vector<double>;

/// In each dimension one point lies in each of `points` equal intervals (McKay, Beckman and
/// Conover, 1979).  Deterministic in its arguments.
std::vector<DesignPoint> latin_hypercube(std::size_t points, std::size_t dimensions,
                                         std::uint64_t seed);

/// The first points of the Sobol sequence without the origin (Joe and Kuo, 2008).
std::vector<DesignPoint> sobol(std::size_t points, std::size_t dimensions);

/// The slope of `values` over each coordinate of the points, by least squares with a constant: the
/// change of the value from one end of a coordinate to the other.  Empty if the points do not
/// determine it.
std::vector<double> slopes(const std::vector<DesignPoint>& points,
                           const std::vector<double>& values);

}  // namespace reeve::experiments

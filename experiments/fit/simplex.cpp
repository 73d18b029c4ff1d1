#include "experiments/fit/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace reeve::experiments {
namespace {

struct Corner {
  std::vector<double> at;
  double value = 0;
};

/// The point `share` of the way from `from` to `to`.
std::vector<double> between(const std::vector<double>& from, const std::vector<double>& to,
                            double share) {
  std::vector<double> point(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) point[i] = from[i] + share * (to[i] - from[i]);
  return point;
}

std::vector<double> centre_of_best(const std::vector<Corner>& corners) {
  std::vector<double> centre(corners.front().at.size(), 0);
  const double count = static_cast<double>(corners.size() - 1);
  for (std::size_t corner = 0; corner + 1 < corners.size(); ++corner) {
    for (std::size_t i = 0; i < centre.size(); ++i) centre[i] += corners[corner].at[i] / count;
  }
  return centre;
}

}  // namespace

std::vector<double> minimize(const std::function<double(const std::vector<double>&)>& value,
                             std::vector<double> start, double step, double tolerance) {
  std::size_t left = 400 * start.size();
  const auto corner_at = [&](std::vector<double> at) {
    left -= left > 0 ? 1 : 0;
    const double found = value(at);
    return Corner{std::move(at),
                  std::isfinite(found) ? found : std::numeric_limits<double>::infinity()};
  };
  std::vector<Corner> corners{corner_at(start)};
  for (std::size_t i = 0; i < start.size(); ++i) {
    std::vector<double> moved = start;
    moved[i] += step;
    corners.push_back(corner_at(std::move(moved)));
  }
  const auto order = [&] {
    std::stable_sort(corners.begin(), corners.end(),
                     [](const Corner& a, const Corner& b) { return a.value < b.value; });
  };
  order();
  while (left > 0 && !(corners.back().value - corners.front().value < tolerance)) {
    Corner& worst = corners.back();
    const std::vector<double> centre = centre_of_best(corners);
    Corner mirrored = corner_at(between(worst.at, centre, 2));
    if (mirrored.value < corners.front().value) {
      Corner further = corner_at(between(worst.at, centre, 3));
      worst = further.value < mirrored.value ? std::move(further) : std::move(mirrored);
    } else if (mirrored.value < corners[corners.size() - 2].value) {
      worst = std::move(mirrored);
    } else {
      const bool outside = mirrored.value < worst.value;
      Corner nearer = corner_at(between(worst.at, centre, outside ? 1.5 : 0.5));
      if (nearer.value < std::min(mirrored.value, worst.value)) {
        worst = std::move(nearer);
      } else {
        for (std::size_t i = 1; i < corners.size(); ++i) {
          corners[i] = corner_at(between(corners.front().at, corners[i].at, 0.5));
        }
      }
    }
    order();
  }
  return corners.front().at;
}

}  // namespace reeve::experiments

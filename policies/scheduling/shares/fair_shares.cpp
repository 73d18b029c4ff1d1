#include "fair_shares.hpp"

#include <algorithm>
#include <numeric>

namespace reeve::policies {
namespace {

__extension__ using WideInt = __int128;

/// Of those who want more, by 1/weight.
class Division {
 public:
  Division(const std::vector<Claim>& claims, std::vector<std::int64_t>& given)
      : claims_{claims}, given_{given} {
    for (const Claim& claim : claims) {
      common_ = std::lcm(common_, std::int64_t{std::max<std::uint32_t>(claim.weight, 1)});
      if (common_ <= kMost) continue;
      common_ = kMost;  // then parts are exact to 2^-30 of an instance
      return;
    }
  }

  /// Gives to those who want no more than their part; whether there was anybody.
  bool satisfy(std::int64_t& left) {
    const WideInt sum = learn();
    std::int64_t given = 0;
    for (const std::size_t each : wanting_) {
      const std::int64_t wants = claims_[each].wants - given_[each];
      if (WideInt{wants} * sum > WideInt{left} * weight(each)) continue;
      given_[each] += wants;
      given += wants;
    }
    left -= given;
    return given > 0 && left > 0;
  }

  /// No share gets all it wants from its part.
  void divide(std::int64_t left) {
    const WideInt sum = learn();
    const std::int64_t all = left;
    std::vector<WideInt> lost(claims_.size());
    for (const std::size_t each : wanting_) {
      const WideInt part = WideInt{all} * weight(each);
      given_[each] += static_cast<std::int64_t>(part / sum);
      left -= static_cast<std::int64_t>(part / sum);
      lost[each] = part % sum;
    }
    std::stable_sort(wanting_.begin(), wanting_.end(),
                     [&](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
    for (const std::size_t each : wanting_) {
      if (left-- <= 0) return;
      ++given_[each];
    }
  }

 private:
  WideInt weight(std::size_t of) const {
    return common_ / std::max<std::uint32_t>(claims_[of].weight, 1);
  }
  WideInt learn() {
    wanting_.clear();
    WideInt sum = 0;
    for (std::size_t each = 0; each < claims_.size(); ++each) {
      if (claims_[each].wants <= given_[each]) continue;
      wanting_.push_back(each);
      sum += weight(each);
    }
    return sum;
  }

  static constexpr std::int64_t kMost = std::int64_t{1} << 38;  ///< times a weight: fits

  std::int64_t common_ = 1;  ///< multiple of all weights, if it is not more
  const std::vector<Claim>& claims_;
  std::vector<std::int64_t>& given_;
  std::vector<std::size_t> wanting_;
};

}  // namespace

std::vector<std::int64_t> fair_shares(const std::vector<Claim>& claims, std::int64_t all) {
  std::vector<std::int64_t> given;
  for (const Claim& claim : claims) given.push_back(std::min(claim.deserves, claim.wants));
  std::int64_t left = all - std::accumulate(given.begin(), given.end(), std::int64_t{0});
  if (left <= 0) return given;
  Division division{claims, given};
  while (division.satisfy(left)) continue;
  if (left > 0) division.divide(left);
  return given;
}

}  // namespace reeve::policies

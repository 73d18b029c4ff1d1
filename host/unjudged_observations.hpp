// Observations that may be outside the scope of a seat: they arrived before their submission event.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <set>
#include <utility>
#include <vector>

namespace reeve::host {

/// Keeps the observations of one seat in order of arrival.  Beyond `at_most` it drops the oldest,
/// which bounds the memory if submissions never arrive.
class UnjudgedObservations {
 public:
  static constexpr std::size_t at_most = std::size_t{1} << 16;

  /// The attempt that decides whether the observation is in scope.
  struct About {
    policy::JobId job;
    policy::AttemptNumber attempt = 1;
    friend constexpr auto operator<=>(const About&, const About&) = default;
  };
  /// True: in scope.  Nothing: still unknown.
  using Judgement = std::function<std::optional<bool>(const policy::Observation&)>;

  bool empty() const { return observations_.empty(); }
  std::size_t size() const { return observations_.size(); }
  void keep(const About& about, const policy::Observation& seen);
  /// More is known about the attempt: its observations are to be judged again.
  void call(const About& about);
  /// Appends the observations in scope to `out` and forgets those out of scope.
  void judge_called(const Judgement& judge, std::vector<policy::Observation>& out);

 private:
  struct Kept {
    About about;
    policy::Observation seen;
  };

  void forget(std::uint64_t number);

  std::map<std::uint64_t, Kept> observations_;  ///< by number, in order of arrival
  std::set<std::pair<About, std::uint64_t>> by_about_;
  std::vector<std::uint64_t> called_;
  std::uint64_t kept_ = 0;  ///< in total
};

}  // namespace reeve::host

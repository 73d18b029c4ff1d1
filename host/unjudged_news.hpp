// What a seat with a scope cannot be told yet: it came before the submission of what it is about.
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

/// Keeps news in the order in which it came, of one seat.  Beyond `at_most` the oldest goes:
/// submissions that never come must not fill the memory.
class UnjudgedNews {
 public:
  static constexpr std::size_t at_most = std::size_t{1} << 16;

  /// Which attempt the news is judged by.
  struct About {
    policy::JobId job;
    policy::AttemptNumber attempt = 1;
    friend constexpr auto operator<=>(const About&, const About&) = default;
  };
  /// True: it concerns the seat.  Nothing: that is still not known.
  using Judgement = std::function<std::optional<bool>(const policy::Observation&)>;

  bool empty() const { return news_.empty(); }
  std::size_t size() const { return news_.size(); }
  void keep(const About& about, const policy::Observation& seen);
  /// More is known of the attempt: what is kept of it is to be judged anew.
  void call(const About& about);
  /// Appends to `out` what concerns the seat after all, and forgets what does not.
  void judge_called(const Judgement& judge, std::vector<policy::Observation>& out);

 private:
  struct Kept {
    About about;
    policy::Observation seen;
  };

  void forget(std::uint64_t number);

  std::map<std::uint64_t, Kept> news_;  ///< by number, in the order in which it came
  std::set<std::pair<About, std::uint64_t>> by_about_;
  std::vector<std::uint64_t> called_;
  std::uint64_t kept_ = 0;  ///< ever
};

}  // namespace reeve::host

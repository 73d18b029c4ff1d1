#include "host/unjudged_observations.hpp"

#include <algorithm>

namespace reeve::host {

using policy::Observation;

void UnjudgedObservations::keep(const About& about, const Observation& seen) {
  if (observations_.size() == at_most) forget(observations_.begin()->first);
  observations_.insert({kept_, Kept{about, seen}});
  by_about_.insert({about, kept_});
  ++kept_;
}

void UnjudgedObservations::call(const About& about) {
  for (auto kept = by_about_.lower_bound({about, 0});
       kept != by_about_.end() && kept->first == about; ++kept) {
    called_.push_back(kept->second);
  }
}

void UnjudgedObservations::judge_called(const Judgement& judge, std::vector<Observation>& out) {
  std::sort(called_.begin(), called_.end());
  called_.erase(std::unique(called_.begin(), called_.end()), called_.end());
  for (const std::uint64_t number : called_) {
    const Observation seen = observations_.at(number).seen;
    const std::optional<bool> concerns = judge(seen);
    if (!concerns) continue;
    forget(number);
    if (*concerns) out.push_back(seen);
  }
  called_.clear();
}

void UnjudgedObservations::forget(std::uint64_t number) {
  const auto kept = observations_.find(number);
  by_about_.erase({kept->second.about, number});
  observations_.erase(kept);
}

}  // namespace reeve::host

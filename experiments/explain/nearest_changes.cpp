#include "experiments/explain/nearest_changes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "experiments/explain/with_option.hpp"

namespace reeve::experiments {
namespace {

/// What the attempt costs more in `theirs`; none if both have only reserved instances.
std::optional<policy::Usd> more_billed(const AttemptBill& mine, const AttemptBill& theirs) {
  const bool only_reserved = (mine.reserved && (theirs.reserved || !theirs.had_machines)) ||
                             (theirs.reserved && !mine.had_machines);
  if (only_reserved) return std::nullopt;
  return (theirs.reserved ? policy::Usd{} : theirs.billed) -
         (mine.reserved ? policy::Usd{} : mine.billed);
}

/// Looks along the thresholds of the rule that stopped an attempt.
class Search {
 public:
  Search(const scenarios::PolicySpec& policy, const JobOutcome& outcome, RuleStop stop,
         const Replay& replay)
      : policy_{policy}, outcome_{outcome}, stop_{std::move(stop)}, replay_{replay} {}

  /// None: no value of the threshold spares the attempt, or the search has ended.
  std::optional<NearestChange> along(const Threshold& threshold);
  bool is_interrupted() const { return interrupted_; }
  bool has_ended() const { return interrupted_ || replays_ >= replays_at_most; }

 private:
  /// None: the rule refuses the value, the attempt is not there, or the search has ended.
  std::optional<NearestChange> play(const Threshold& threshold, double value);
  std::optional<NearestChange> compare(const JobOutcome& other) const;
  /// The rule does not stop the attempt.
  bool spares(const std::optional<NearestChange>& change) const {
    return change && (!change->stop || change->stop->rule != stop_.rule);
  }
  std::vector<double> values_of(const Threshold& threshold) const;

  const scenarios::PolicySpec& policy_;
  const JobOutcome& outcome_;
  RuleStop stop_;
  const Replay& replay_;
  int replays_ = 0;
  bool interrupted_ = false;
};

std::optional<NearestChange> Search::compare(const JobOutcome& other) const {
  const AttemptBill* const mine = outcome_.attempt(stop_.attempt);
  const AttemptBill* const theirs = other.attempt(stop_.attempt);
  if (mine == nullptr || theirs == nullptr) return std::nullopt;
  NearestChange change;
  for (RuleStop& ending : endings_by_rules(other)) {
    if (ending.attempt == stop_.attempt) change.stop = std::move(ending);
  }
  if (change.stop) change.later = change.stop->at - stop_.at;
  change.is_cut_off = theirs->reason == models::EndReason::horizon || theirs->end >= other.run_end;
  change.attempt_more = more_billed(*mine, *theirs);
  change.run_more = other.run_billed - outcome_.run_billed;
  return change;
}

std::optional<NearestChange> Search::play(const Threshold& threshold, double value) {
  if (has_ended()) return std::nullopt;
  Setting setting = threshold.set(value);
  const auto changed = with_option(policy_, stop_.rule, setting.option, setting.value);
  if (!changed) return std::nullopt;
  ++replays_;
  const auto other = replay_(*changed);
  interrupted_ = !other;
  if (!other) return std::nullopt;
  auto change = compare(*other);
  if (change) change->setting = std::move(setting);
  return change;
}

/// Values away from the present one that the rule accepts, nearest first.
std::vector<double> Search::values_of(const Threshold& threshold) const {
  std::vector<double> values;
  for (int step = 0; step < Threshold::steps; ++step) {
    const double value = threshold.outward(step);
    const double last = values.empty() ? threshold.now : values.back();
    if (threshold.is_up ? value <= last : value >= last) continue;
    const Setting setting = threshold.set(value);
    if (!with_option(policy_, stop_.rule, setting.option, setting.value)) continue;
    values.push_back(value);
  }
  return values;
}

std::optional<NearestChange> Search::along(const Threshold& threshold) {
  const std::vector<double> values = values_of(threshold);
  if (values.empty()) return std::nullopt;
  auto best = play(threshold, values.back());
  const auto is_later = [](const auto& change) {
    return change && change->later > policy::Duration{0};
  };
  if (!spares(best)) {  // nor does any value before the farthest
    if (!is_later(best)) return std::nullopt;
    for (const double value : values) {
      auto change = value == values.back() ? best : play(threshold, value);
      if (is_later(change)) return change;
    }
    return std::nullopt;
  }
  double bad = threshold.now;
  double good = values.back();
  for (const double value : values) {
    if (value == values.back()) break;
    auto change = play(threshold, value);
    if (spares(change)) {
      best = std::move(change);
      good = value;
      break;
    }
    bad = value;
  }
  while (const auto value = threshold.between(bad, good)) {
    if (has_ended()) break;
    auto change = play(threshold, *value);
    const bool is_good = spares(change);
    (is_good ? good : bad) = *value;
    if (is_good) best = std::move(change);
  }
  return best;
}

}  // namespace

std::optional<NearestChanges> nearest_changes(const scenarios::PolicySpec& policy,
                                              const JobOutcome& outcome, const Replay& replay) {
  const std::vector<RuleStop> endings = endings_by_rules(outcome);
  if (endings.empty()) return std::nullopt;
  const auto seat =
      std::ranges::find(policy.seats, endings.front().rule, &scenarios::SeatSpec::label);
  if (seat == policy.seats.end()) return std::nullopt;
  NearestChanges all;
  all.stop = endings.front();
  Search search{policy, outcome, all.stop, replay};
  for (const Threshold& threshold : thresholds_of(*seat)) {
    auto change = search.along(threshold);
    if (search.has_ended()) {  // a nearer value may be there
      all.all_tried = false;
      break;
    }
    if (change) {
      all.changes.push_back(*std::move(change));
    } else if (std::ranges::find(all.no_difference, threshold.subject) == all.no_difference.end()) {
      all.no_difference.push_back(threshold.subject);
    }
  }
  for (const NearestChange& change : all.changes)
    std::erase(all.no_difference, change.setting.subject);
  std::ranges::stable_sort(all.changes, {}, [&](const NearestChange& change) {
    const bool spares = !change.stop || change.stop->rule != all.stop.rule;
    return spares ? policy::Duration{0} : *change.later;
  });
  return all;
}

}  // namespace reeve::experiments

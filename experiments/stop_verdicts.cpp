#include "experiments/stop_verdicts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace reeve::experiments {
namespace {

using models::StallRow;
using policy::AttemptNumber;
using policy::Duration;
using policy::Instant;
using policy::JobId;
using policy::SeatId;

class Judge {
 public:
  Judge(const scenarios::Scenario& scenario, const RunResult& result)
      : scenario_{scenario}, late_after_{scenario.world.late_after}, result_{result} {
    for (const StallRow& stall : result.record.stalls) {
      stalls_[{stall.job, stall.attempt}].push_back(&stall);
    }
    for (const models::FutileRow& row : result.record.futile) {
      futile_[{row.job, row.attempt}].push_back(&row);
    }
    for (const models::FutileRow& row : result.record.endless) {
      endless_[{row.job, row.attempt}].push_back(row.since);
    }
    for (const models::HeldUpRow& row : result.record.held_up) {
      held_up_[{row.job, row.attempt}].push_back(&row);
    }
  }

  std::vector<JudgedStop> all() {
    judge_stops();
    judge_wishes();
    for (std::uint32_t seat = 0; seat < result_.seats.size(); ++seat) {
      const SeatedRule& rule = result_.seats[seat];
      if (rule.kind->finds_stalls && rule.mode != host::Mode::off) add_missed({seat});
    }
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const auto& a, const auto& b) { return a.seat < b.seat; });
    return std::move(rows_);
  }

 private:
  /// Money leaves in the order of the record, each kind rounded as one running sum.
  void judge_stops() {
    models::LineRounding destroyed{result_.record.ledger.uses()};
    models::Charge late = 0;
    for (const models::StopRow& stop : result_.record.stops) {
      JudgedStop row{.seat = stop.seat,
                     .verdict = verdict(stop.cause, stop.onset, stop.decided),
                     .job = stop.job,
                     .attempt = stop.attempt,
                     .onset = stop.onset,
                     .decided = stop.decided,
                     .usd = {}};
      if (row.verdict == StopVerdict::wrong) {
        row.usd = destroyed.next(models::Use::false_stop, stop.destroyed);
      } else if (row.verdict == StopVerdict::late) {
        const policy::Usd before = models::to_usd(late);
        late += stop.late;
        row.usd = models::to_usd(late) - before;
      }
      add(row);
    }
  }

  StopVerdict verdict(policy::StopCause cause, Instant onset, Instant decided) const {
    if (cause == policy::StopCause::rule_broken) return StopVerdict::kept_rule;
    if (onset == policy::never) return StopVerdict::wrong;
    return decided > policy::later(onset, late_after_) ? StopVerdict::late : StopVerdict::right;
  }

  /// After the first such stop the attempt would have been over.
  void judge_wishes() {
    for (const DecisionRow& wish : result_.decisions) {
      const auto* stop = std::get_if<policy::StopJob>(&wish.verb);
      if (stop == nullptr || (wish.verdict != "shadow" && wish.verdict != "warn")) continue;
      const auto rule =
          std::find_if(result_.seats.begin(), result_.seats.end(),
                       [&](const SeatedRule& seat) { return seat.label == wish.rule; });
      const SeatId seat{static_cast<std::uint32_t>(rule - result_.seats.begin())};
      if (!wished_.try_emplace({seat, wish.job, wish.attempt}, wish.at).second) continue;
      const Instant onset = onset_of(stop->cause, wish);
      add({.seat = seat,
           .verdict = verdict(stop->cause, onset, wish.at),
           .job = wish.job,
           .attempt = wish.attempt,
           .onset = onset,
           .decided = wish.at,
           .usd = {}});
    }
  }

  /// Of what the stop would have accused the attempt of, as far as that was so.
  Instant onset_of(policy::StopCause cause, const DecisionRow& wish) const {
    using policy::StopCause;
    const std::pair of{wish.job, wish.attempt};
    if (cause == StopCause::standing_still || cause == StopCause::using_little) {
      const StallRow* stall = stall_at(wish.job, wish.attempt, wish.at);
      if (stall != nullptr) return stall->onset;
      return cause == StopCause::using_little ? held_up_since(of, wish.at) : policy::never;
    }
    if (cause == StopCause::never_starting) return endless_since(of, wish.at);
    return cause == StopCause::learning_nothing ? futile_since(of, wish.at) : policy::never;
  }

  /// Of the launch that it is in then, or that ends then.
  Instant futile_since(const std::pair<JobId, AttemptNumber>& of, Instant at) const {
    const auto known = futile_.find(of);
    if (known == futile_.end()) return policy::never;
    const auto row = std::find_if(known->second.rbegin(), known->second.rend(),
                                  [&](const models::FutileRow* each) {
                                    return each->so ? each->since <= at : each->since < at;
                                  });
    return row != known->second.rend() && (*row)->so ? (*row)->since : policy::never;
  }

  /// Of the launch that it is in then.
  Instant held_up_since(const std::pair<JobId, AttemptNumber>& of, Instant at) const {
    const auto known = held_up_.find(of);
    if (known == held_up_.end()) return policy::never;
    const auto row = std::find_if(known->second.rbegin(), known->second.rend(),
                                  [&](const models::HeldUpRow* each) { return each->at <= at; });
    return row != known->second.rend() && (*row)->held_up ? (*row)->at : policy::never;
  }

  Instant endless_since(const std::pair<JobId, AttemptNumber>& of, Instant at) const {
    const auto known = endless_.find(of);
    if (known == endless_.end()) return policy::never;
    const auto since = std::find_if(known->second.rbegin(), known->second.rend(),
                                    [&](Instant each) { return each <= at; });
    return since == known->second.rend() ? policy::never : *since;
  }

  const StallRow* stall_at(JobId job, AttemptNumber attempt, Instant at) const {
    const auto known = stalls_.find({job, attempt});
    if (known == stalls_.end()) return nullptr;
    const auto stall =
        std::find_if(known->second.begin(), known->second.end(),
                     [&](const StallRow* each) { return each->onset <= at && at < each->ended; });
    return stall == known->second.end() ? nullptr : *stall;
  }

  void add(const JudgedStop& row) {
    if (row.onset != policy::never) met_.insert({row.seat, row.job, row.onset});
    rows_.push_back(row);
  }

  /// Whether the seat had wished to stop the attempt before it stood still so.
  bool would_be_over(SeatId seat, const StallRow& stall) const {
    const auto wish = wished_.find({seat, stall.job, stall.attempt});
    return wish != wished_.end() && wish->second <= stall.onset;
  }

  /// Of what it is told nothing a seat misses nothing, and nothing of what comes after its stop.
  void add_missed(SeatId seat) {
    const host::Scope& scope = result_.seats[seat.index].scope;
    models::Charge sum = 0;
    for (const StallRow& stall : result_.record.stalls) {
      if (stall.detected != policy::never || met_.contains({seat, stall.job, stall.onset}))
        continue;
      if (would_be_over(seat, stall)) continue;
      const host::Whereabouts there{stall.tags, stall.pool};
      if (!scope.holds(there, scenario_.world.directory).value_or(false)) continue;
      const policy::Usd before = models::to_usd(sum);
      sum += stall.cost;
      rows_.push_back({.seat = seat,
                       .verdict = StopVerdict::missed,
                       .job = stall.job,
                       .attempt = stall.attempt,
                       .onset = stall.onset,
                       .decided = policy::never,
                       .usd = models::to_usd(sum) - before});
    }
  }

  const scenarios::Scenario& scenario_;
  Duration late_after_;
  const RunResult& result_;
  std::map<std::pair<JobId, AttemptNumber>, std::vector<const StallRow*>> stalls_;
  std::map<std::pair<JobId, AttemptNumber>, std::vector<const models::FutileRow*>> futile_;
  std::map<std::pair<JobId, AttemptNumber>, std::vector<Instant>> endless_;
  std::map<std::pair<JobId, AttemptNumber>, std::vector<const models::HeldUpRow*>> held_up_;
  std::set<std::tuple<SeatId, JobId, Instant>> met_;  ///< standstills that a seat did act on
  /// When a seat first wished to stop the attempt, but only said so.
  std::map<std::tuple<SeatId, JobId, AttemptNumber>, Instant> wished_;
  std::vector<JudgedStop> rows_;
};

}  // namespace

std::string_view name(StopVerdict verdict) {
  static constexpr std::array<std::string_view, 5> names{"right", "late", "false", "missed",
                                                         "kept_rule"};
  return names[static_cast<std::size_t>(verdict)];
}

std::vector<JudgedStop> judge_stops(const scenarios::Scenario& scenario, const RunResult& result) {
  return Judge{scenario, result}.all();
}

VerdictSums sums_of(const std::vector<JudgedStop>& stops, SeatId seat) {
  VerdictSums sums;
  models::Charge delays = 0;
  Duration longest{0};
  for (const JudgedStop& stop : stops) {
    if (stop.seat != seat) continue;
    switch (stop.verdict) {
      case StopVerdict::right:
        ++sums.right;
        break;
      case StopVerdict::late:
        ++sums.late;
        sums.late_stop += stop.usd;
        break;
      case StopVerdict::wrong:
        ++sums.wrong;
        sums.false_stop += stop.usd;
        break;
      case StopVerdict::missed:
        ++sums.missed;
        sums.missed_stall += stop.usd;
        break;
      case StopVerdict::kept_rule:
        ++sums.kept_rule;
        break;
    }
    if (stop.onset == policy::never || stop.decided == policy::never) continue;
    delays += (stop.decided - stop.onset).count();
    longest = std::max(longest, stop.decided - stop.onset);
  }
  const std::uint64_t found = sums.right + sums.late;
  if (found > 0) {
    sums.mean_delay =
        Duration{static_cast<std::int64_t>(delays / static_cast<models::Charge>(found))};
    sums.max_delay = longest;
  }
  return sums;
}

}  // namespace reeve::experiments

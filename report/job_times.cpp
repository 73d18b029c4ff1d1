#include "report/job_times.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>
#include <utility>

#include "models/ledger.hpp"

namespace reeve::report {
namespace {

using models::LedgerLine;
using models::Use;
using policy::Duration;
using policy::Instant;
using policy::Usd;

/// Lines of one attempt that differ only in their instances: parts of a gang.
struct UsedTime {
  LedgerLine line;
  Usd usd;

  bool fills_period() const { return line.held >= line.until - line.from; }
};

auto layout_key(const UsedTime& of) {
  const LedgerLine& line = of.line;
  return std::tuple{line.attempt, line.from, line.until, line.pool, line.use, line.held};
}

std::vector<UsedTime> merged(std::vector<UsedTime> times) {
  std::ranges::stable_sort(times, {}, layout_key);
  std::vector<UsedTime> out;
  for (const UsedTime& time : times) {
    if (out.empty() || layout_key(out.back()) != layout_key(time)) {
      out.push_back(time);
      continue;
    }
    out.back().line.instances += time.line.instances;
    out.back().usd += time.usd;
  }
  return out;
}

/// Whether training pauses for it.
bool pauses_training(const JobSlice& slice) {
  return slice.name == models::name(Use::stalled) || slice.name == models::name(Use::checkpoint) ||
         slice.name == models::name(Use::startup);
}

JobSlice slice_of(const UsedTime& time, Instant from, Instant until) {
  return {.name = models::name(time.line.use),
          .billed = true,
          .attempt = time.line.attempt,
          .pool = time.line.pool,
          .from = from,
          .until = until,
          .instances = time.line.instances,
          .usd = time.usd};
}

/// By attempt, then start: the time of a job in which training pauses.
std::vector<JobSlice> pauses_of(const std::vector<JobSlice>& slices) {
  std::vector<JobSlice> pauses;
  std::ranges::copy_if(slices, std::back_inserter(pauses), pauses_training);
  std::ranges::stable_sort(pauses, {}, [](const JobSlice& slice) {
    return std::pair{slice.attempt, slice.from};
  });
  return pauses;
}

/// The part of an amount that is due after a part of the time.
Usd due(Usd whole, Duration done, Duration all) {
  if (done >= all) return whole;
  __extension__ using Wide = __int128;
  return Usd::from_micros(
      static_cast<std::int64_t>(Wide{whole.micros()} * done.count() / all.count()));
}

/// Lays out uses of periods of training, which the ledger knows only by their length, in the time
/// that no pause takes.
class TrainingLayout {
 public:
  explicit TrainingLayout(std::vector<JobSlice>& slices)
      : slices_{slices}, pauses_{pauses_of(slices)} {}

  /// Uses by attempt, then start.
  void add(const UsedTime& time) {
    const LedgerLine& line = time.line;
    const bool goes_on = line.attempt == attempt_ && line.from == from_ && line.until == until_;
    if (!goes_on) begin(line);
    Duration left = line.held;
    Usd paid;
    while (left > Duration{0}) {
      const Duration length = std::min(left, next_pause() - at_);
      left -= length;
      JobSlice slice = slice_of(time, at_, at_ + length);
      slice.usd = due(time.usd, line.held - left, line.held) - paid;
      paid += slice.usd;
      slices_.push_back(slice);
      at_ += length;
    }
  }

 private:
  void begin(const LedgerLine& line) {
    attempt_ = line.attempt;
    from_ = at_ = line.from;
    until_ = line.until;
    const auto has_passed = [&](const JobSlice& pause) {
      return std::pair{pause.attempt, pause.until} <= std::pair{attempt_, from_};
    };
    while (next_ < pauses_.size() && has_passed(pauses_[next_])) ++next_;
    pause_ = next_;
  }
  /// The start of the next pause, with the time moved past those that it is in.
  Instant next_pause() {
    for (; pause_ < pauses_.size() && pauses_[pause_].attempt == attempt_; ++pause_) {
      if (pauses_[pause_].from > at_) return pauses_[pause_].from;
      at_ = std::max(at_, pauses_[pause_].until);
    }
    return policy::never;
  }

  std::vector<JobSlice>& slices_;
  const std::vector<JobSlice> pauses_;
  policy::AttemptNumber attempt_ = 0;
  Instant from_;
  Instant until_;
  Instant at_;
  std::size_t next_ = 0;
  std::size_t pause_ = 0;
};

/// Rounds to microseconds, sorts, and gives each slice the first lane that is free.
void arrange(std::vector<JobSlice>& slices) {
  for (JobSlice& slice : slices) {
    slice.from = std::chrono::floor<std::chrono::microseconds>(slice.from);
    slice.until = std::chrono::floor<std::chrono::microseconds>(slice.until);
  }
  std::ranges::stable_sort(slices, {}, [](const JobSlice& slice) {
    return std::tuple{slice.from, slice.until, slice.attempt};
  });
  std::vector<Instant> busy_until;
  for (JobSlice& slice : slices) {
    const auto free =
        std::ranges::find_if(busy_until, [&](Instant until) { return until <= slice.from; });
    slice.lane = static_cast<std::uint32_t>(free - busy_until.begin());
    if (free == busy_until.end()) {
      busy_until.push_back(slice.until);
    } else {
      *free = slice.until;
    }
  }
}

}  // namespace

JobTimes::JobTimes(const RunNames& names)
    : names_{names},
      costs_{line_costs(names)},
      lines_{names.rows().record.job_rows.size(), names.rows().record.ledger_lines,
             [](const LedgerLine& line) { return line.attempt > 0; }},
      attempts_{names.rows().record.job_rows.size(), names.rows().record.attempts},
      preemptions_{names.rows().record.job_rows.size(), names.rows().record.preemptions} {}

std::vector<JobSlice> JobTimes::of(policy::JobId job) const {
  std::vector<JobSlice> periods;
  std::vector<JobSlice> slices = billed(job, periods);
  add_pending(job, periods, slices);
  arrange(slices);
  return slices;
}

std::vector<JobSlice> JobTimes::idle(policy::PoolId pool) const {
  const std::vector<LedgerLine>& lines = names_.rows().record.ledger_lines;
  std::vector<JobSlice> slices;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (lines[at].attempt > 0 || lines[at].pool != pool) continue;
    slices.push_back(slice_of({lines[at], costs_[at]}, lines[at].from, lines[at].until));
  }
  arrange(slices);
  return slices;
}

/// `periods`: when the attempts held instances.
std::vector<JobSlice> JobTimes::billed(policy::JobId job, std::vector<JobSlice>& periods) const {
  std::vector<UsedTime> times;
  for (const std::uint32_t at : lines_.of(job)) {
    times.push_back({names_.rows().record.ledger_lines[at], costs_[at]});
  }
  std::vector<JobSlice> slices;
  std::vector<UsedTime> loose;
  for (const UsedTime& time : merged(std::move(times))) {
    const JobSlice period = slice_of(time, time.line.from, time.line.until);
    if (time.line.use != Use::orphan) periods.push_back(period);
    if (time.fills_period()) {
      slices.push_back(period);
    } else {
      loose.push_back(time);
    }
  }
  TrainingLayout layout{slices};
  for (const UsedTime& time : loose) layout.add(time);
  return slices;
}

/// What an attempt lacked instances for: the gaps between its periods.
void JobTimes::add_pending(policy::JobId job, const std::vector<JobSlice>& periods,
                           std::vector<JobSlice>& slices) const {
  for (const std::uint32_t at : attempts_.of(job)) {
    const models::AttemptRow& attempt = names_.rows().record.attempts[at];
    JobSlice wait{.name = pending_slice,
                  .attempt = attempt.number,
                  .pool = attempt.pool,
                  .from = attempt.requested,
                  .until = {},
                  .instances = names_.spec(job).instances};
    if (follows_preemption(attempt)) wait.name = preempted_slice;
    const auto wait_until = [&](Instant until) {
      wait.until = std::min(until, attempt.end);
      if (wait.until > wait.from) slices.push_back(wait);
    };
    for (const JobSlice& period : periods) {  // by attempt, then start
      if (period.attempt != attempt.number) continue;
      wait_until(period.from);
      wait.from = std::max(wait.from, period.until);
      wait.name = requeue_slice;
    }
    wait_until(attempt.end);
  }
}

/// Whether its queue submitted the attempt because it had preempted the one before.
bool JobTimes::follows_preemption(const models::AttemptRow& attempt) const {
  return std::ranges::any_of(preemptions_.of(attempt.job), [&](std::uint32_t at) {
    const models::PreemptionRow& row = names_.rows().record.preemptions[at];
    return row.requeued && row.attempt + 1 == attempt.number;
  });
}

}  // namespace reeve::report

#include "spot_fallback.hpp"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "job_rule.hpp"
#include "market.hpp"
#include "proposed_verbs.hpp"
#include "spot_course.hpp"
#include "spot_fallback_options.hpp"
#include "spot_history.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kSpotFallbackClone = "goes on where nobody interrupts it";
constexpr std::string_view kTimedOut = "waited for Spot in vain";

/// Why an attempt leaves Spot.
enum class Why : std::uint8_t { count, rate, pooled, progress, timeouts };

constexpr std::string_view spot_fallback_reason(Why why) {
  switch (why) {
    case Why::count:
      return "interrupted too often on Spot";
    case Why::rate:
      return "interrupted too often within the window on Spot";
    case Why::pooled:
      return "Spot takes machines of its type too often";
    case Why::progress:
      return "too little of what Spot is paid for lasts";
    case Why::timeouts:
      return "jobs waited for Spot of its type in vain";
  }
  return "leaves Spot";
}

struct SpotFallbackRow {
  AttemptNumber leaves = 0;     ///< newest attempt that is to leave Spot
  AttemptNumber stopped = 0;    ///< newest attempt whose stop, or whose place, was asked for
  AttemptNumber kept_back = 0;  ///< newest attempt whose stop a guard kept back
  AttemptNumber cloned = 0;     ///< newest attempt whose clone was asked for: the clone's number
  Why why = Why::count;         ///< of `leaves`
};

/// What is remembered of a job where a test asks for more than the belief.
struct Course {
  SpotCourse on_spot;
  RecentInstants interrupted;    ///< of the attempt
  std::uint32_t instances = 0;   ///< that are counted as held
  TypeId type;                   ///< of the machines and of `away`
  bool was_interrupted = false;  ///< and it was not judged for that yet
  AttemptNumber timed_out = 0;   ///< newest attempt whose time-out was counted
};

/// Of all jobs of one type.
struct TypeHistory {
  explicit TypeHistory(Duration window) : machines{window} {}
  RecentMachines machines;
  RecentInstants interrupted;
  RecentInstants timed_out;
  std::set<JobId> away;  ///< interrupted, and not back yet
  bool just_interrupted = false;
};

/// Two steps, each asked for once per attempt: stop it on Spot; when it has stopped, clone it.
/// Whether it is to leave is judged when it is interrupted: then it has no machines, and the stop
/// costs nothing.
class SpotFallback final : public JobRule<SpotFallbackRow> {
 public:
  explicit SpotFallback(const Options& options)
      : interruptions_above_{options.integer("interruptions_above")},
        rate_above_{options.number("rate_above")},
        rate_window_{options.duration("rate_window")},
        pooled_above_{options.number("pooled_above")},
        pooled_window_{options.duration("pooled_window")},
        pooled_hours_{options.number("pooled_min_hours")},
        min_progress_{options.number("min_progress")},
        timeouts_{options.integer("timeouts")},
        timeouts_window_{options.duration("timeouts_window")},
        after_max_wait_{options.flag("after_max_wait")},
        market_{*market_named(options.text("market"))},
        from_{options.flag("clone_keeps_checkpoint") ? ResumeFrom::last_checkpoint
                                                     : ResumeFrom::scratch} {}

 private:
  bool remembers() const {
    return rate_above_ > 0 || pooled_above_ > 0 || min_progress_ > 0 || timeouts_ > 0;
  }

  void hear(const Observation& seen) override {
    if (min_progress_ == 0) return;
    const auto* report = std::get_if<TrainingReported>(&seen.fact);
    if (report != nullptr) courses_[report->job].on_spot.hear(*report, seen.happened_at);
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    if (status.attempt == std::numeric_limits<AttemptNumber>::max()) return;
    // Before its submission event its market is unknown, and whether it fits in other fleets.
    if (!step.fleet.is_described(job)) return let_go(job, step.now);
    const auto elsewhere = elsewhere_for(job, step.fleet);
    if (remembers()) remember(job, elsewhere.has_value(), step);
    SpotFallbackRow& row = jobs_[job];
    const bool may_leave = on_spot(job, step.fleet) && elsewhere;
    if (may_leave) judge(job, step);
    if (may_leave && row.leaves == status.attempt && row.stopped < status.attempt) {
      leave(job, *elsewhere, step.fleet, out);
    }
    const bool own_stop = status.stopped_by == step.seat.index + 1;
    const bool in_vain =
        may_leave && after_max_wait_ && status.secondary == Secondary::max_wait_time_exceeded;
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    if (status.primary != Primary::stopped || row.cloned >= next) return;
    if (!own_stop && !in_vain) return;  // a job that it stopped itself must run, in any fleet
    row.cloned = next;
    out.propose(CloneJob{job, next, from_, true, elsewhere},
                own_stop ? kSpotFallbackClone : kTimedOut);
  }

  static bool on_spot(JobId job, const FleetView& fleet) {
    const PoolId pool = fleet.description(job).pool;
    return fleet.directory().pools[pool.index].market == Market::spot;
  }

  /// Nothing where it does not fit: it is better off here than nowhere.
  std::optional<PoolId> elsewhere_for(JobId job, const FleetView& fleet) const {
    const JobDescription& description = fleet.description(job);
    const auto pool = fleet.directory().pool_of(description.type, market_);
    if (!pool || fleet.directory().pools[pool->index].size < description.instances) return {};
    return pool;
  }

  /// What waits for machines that it never had is asked to go elsewhere; the rest is stopped here.
  void leave(JobId job, PoolId elsewhere, const FleetView& fleet, Decisions& out) {
    const JobStatus& status = fleet.status(job);
    SpotFallbackRow& row = jobs_[job];
    if (status.primary == Primary::queued) {
      row.stopped = status.attempt;
      out.propose(PlaceJob{job, status.attempt, elsewhere}, spot_fallback_reason(row.why),
                  bases_[job]);
    } else if (status.primary == Primary::in_progress) {
      row.stopped = status.attempt;
      out.propose(StopJob{job, status.attempt}, spot_fallback_reason(row.why), bases_[job]);
    }
  }

  // ---- what is remembered ---------------------------------------------------------------------

  TypeHistory& history_of(TypeId type) {
    return histories_.try_emplace(type, pooled_window_).first->second;
  }

  /// What is counted of the job as held or away is so no more.
  void let_go(JobId job, Instant now) {
    if (!remembers()) return;
    Course& course = courses_[job];
    TypeHistory& history = history_of(course.type);
    if (course.instances > 0) history.machines.change(now, -std::int64_t{course.instances});
    history.away.erase(job);
    course.instances = 0;
  }

  void remember(JobId job, bool may_leave, const Step& step) {
    const JobStatus& status = step.fleet.status(job);
    const JobDescription& description = step.fleet.description(job);
    Course& course = courses_[job];
    if (course.type != description.type) {
      let_go(job, step.now);
      course.type = description.type;
    }
    TypeHistory& history = history_of(course.type);
    if (status.attempt != course.on_spot.attempt()) course.interrupted = {};
    const std::uint16_t interruptions = course.on_spot.note(status);
    course.was_interrupted = interruptions > 0;
    const bool spot = on_spot(job, step.fleet);
    const std::uint32_t held = spot && course.on_spot.billed() ? description.instances : 0;
    const auto more = std::int64_t{held} - std::int64_t{course.instances};
    if (more != 0) history.machines.change(step.now, more);
    course.instances = held;
    if (!spot) return;
    const bool stays = may_leave && jobs_[job].leaves < status.attempt;
    if (stays && status.secondary == Secondary::interrupted) {
      history.away.insert(job);
    } else {
      history.away.erase(job);
    }
    for (std::uint16_t times = 0; times < interruptions; ++times) {
      course.interrupted.add(status.since);
      history.interrupted.add(step.now);  // as machines are counted: from when it is told
    }
    course.interrupted.forget_until(status.since - rate_window_);
    history.interrupted.forget_until(step.now - pooled_window_);
    history.just_interrupted = history.just_interrupted || interruptions > 0;
    count_timeout(course, history, status);
  }

  void count_timeout(Course& course, TypeHistory& history, const JobStatus& status) const {
    if (status.secondary != Secondary::max_wait_time_exceeded) return;
    if (course.timed_out >= status.attempt) return;
    course.timed_out = status.attempt;
    history.timed_out.add(status.ended_at);
  }

  // ---- judgement ------------------------------------------------------------------------------

  void judge(JobId job, const Step& step) {
    const JobStatus& status = step.fleet.status(job);
    SpotFallbackRow& row = jobs_[job];
    if (row.leaves == status.attempt || is_terminal(status.primary)) return;
    const auto why = why_to_leave(job, step);
    if (!why) return;
    row.leaves = status.attempt;
    row.why = *why;
    bases_[job] = basis(*why, job, step);
    if (remembers()) history_of(step.fleet.description(job).type).away.erase(job);
  }

  std::optional<Why> why_to_leave(JobId job, const Step& step) {
    const JobStatus& status = step.fleet.status(job);
    if (std::int64_t{status.interruptions} > interruptions_above_) return Why::count;
    if (!remembers()) return std::nullopt;
    const TypeId type = step.fleet.description(job).type;
    const bool never_had_any =
        status.primary == Primary::queued || (awaits_capacity(status) && status.interruptions == 0);
    if (timeouts_ > 0 && never_had_any && in_vain_lately(type, status.requested_at)) {
      return Why::timeouts;
    }
    // The events that followed may have arrived together with that of the interruption.
    const Course& course = courses_[job];
    if (status.secondary != Secondary::interrupted && !course.was_interrupted) return std::nullopt;
    if (rate_above_ > 0 && rate_of(course, status.since) > rate_above_) return Why::rate;
    const auto progress = course.on_spot.progress();
    if (min_progress_ > 0 && progress && *progress < min_progress_) return Why::progress;
    if (pooled_above_ > 0 && is_taken_too_often(type, step.now)) return Why::pooled;
    return std::nullopt;
  }

  /// What the test saw, and what it allows.
  std::string basis(Why why, JobId job, const Step& step) {
    const JobStatus& status = step.fleet.status(job);
    TypeHistory* history = remembers() ? &history_of(step.fleet.description(job).type) : nullptr;
    switch (why) {
      case Why::count:
        return std::to_string(status.interruptions) + " times, more than " +
               std::to_string(interruptions_above_);
      case Why::rate:
        return number_text(rate_of(courses_[job], status.since)) + " in an hour, more than " +
               number_text(rate_above_);
      case Why::pooled:
        return std::to_string(history->interrupted.within(step.now, pooled_window_)) +
               " times in " + number_text(history->machines.within(step.now)) +
               " machine-hours, more than " + number_text(pooled_above_) + " in each";
      case Why::progress:
        return number_text(*courses_[job].on_spot.progress()) + " of it, less than " +
               number_text(min_progress_);
      case Why::timeouts:
        return std::to_string(history->timed_out.within(status.requested_at, timeouts_window_)) +
               " times within " + length_text(timeouts_window_);
    }
    return {};
  }

  double rate_of(const Course& course, Instant now) const {
    const double hours = std::chrono::duration<double>(rate_window_).count() / 3600;
    return static_cast<double>(course.interrupted.within(now, rate_window_)) / hours;
  }

  /// Of all jobs of the type, in each hour of one of their machines.
  bool is_taken_too_often(TypeId type, Instant now) {
    TypeHistory& history = history_of(type);
    const double hours = history.machines.within(now);
    const auto times = static_cast<double>(history.interrupted.within(now, pooled_window_));
    return hours >= pooled_hours_ && times > pooled_above_ * hours;
  }

  bool in_vain_lately(TypeId type, Instant requested) {
    const std::size_t times = history_of(type).timed_out.within(requested, timeouts_window_);
    return times >= static_cast<std::size_t>(timeouts_);
  }

  /// An interruption of one job concerns all jobs that are away.
  void look_around(const Step& step, Decisions& out) override {
    if (pooled_above_ == 0) return;
    for (auto& [type, history] : histories_) {
      if (!std::exchange(history.just_interrupted, false)) continue;
      if (!is_taken_too_often(type, step.now)) continue;
      for (const JobId job : std::set<JobId>{history.away}) {
        look_at(job, step, out);
      }
    }
  }

  /// What cannot be placed elsewhere while it is queued may be stopped when it is lined up.
  void conclude(const ActionSettled& settled, const Step&, Decisions&) override {
    const bool stays = settled.verb == VerbKind::place_job && !worked(settled);
    if (stays) forget(jobs_[settled.job], settled.attempt);
  }

  void put_off(const ActionSettled& settled, const Step& /*step*/) override {
    if (settled.verb != VerbKind::clone_job) jobs_[settled.job].kept_back = settled.attempt;
  }

  /// The attempt's stop, or the clone that has its number.  What a guard kept back is judged anew:
  /// who trains again by then has not lost its machines.
  void forget(SpotFallbackRow& row, AttemptNumber attempt) override {
    if (row.stopped == attempt) --row.stopped;
    const bool was_kept = row.kept_back == attempt && row.leaves == attempt;
    if (was_kept) row.leaves = row.kept_back = 0;
    if (row.cloned == attempt) --row.cloned;
  }

  std::int64_t interruptions_above_;
  double rate_above_;
  Duration rate_window_;
  double pooled_above_;
  Duration pooled_window_;
  double pooled_hours_;
  double min_progress_;
  std::int64_t timeouts_;
  Duration timeouts_window_;
  bool after_max_wait_;
  Market market_;
  ResumeFrom from_;
  JobTable<Course> courses_;  ///< only where a test needs them
  std::map<TypeId, TypeHistory> histories_;
  std::map<JobId, std::string> bases_;  ///< of those that leave
};

std::vector<PoolId> spot_fallback_reaches(const Options& options, const Directory& directory,
                                          TypeId type) {
  return pools_in_market(options.text("market"), directory, type);
}

std::unique_ptr<Policy> make_spot_fallback(const Options& options) {
  return std::make_unique<SpotFallback>(options);
}

OptionProblem check_spot_fallback(const Options& options) {
  if (options.text("market") != "spot") return {};
  return {.option = "market",
          .message = "must not be spot: the rule moves jobs away from Spot",
          .help = "use on_demand or reserved"};
}

/// No job is interrupted so often, and no other test is on.
OptionProblem idle_spot_fallback(const Options& options, const ScenarioFacts& /*facts*/) {
  constexpr std::int64_t never = 65535;
  const bool is_idle = options.integer("interruptions_above") >= never &&
                       options.number("rate_above") <= 0 && options.number("pooled_above") <= 0 &&
                       options.number("min_progress") <= 0 && options.integer("timeouts") == 0 &&
                       !options.flag("after_max_wait");
  if (!is_idle) return {};
  return {.option = "interruptions_above",
          .message = "no job has more than 65535 interruptions",
          .help = "use a lower number or another test"};
}

}  // namespace

PolicyKind spot_fallback_kind() {
  return {
      .name = "spot_fallback",
      .summary = "moves a job that Spot interrupts too often to another market",
      .source = "Rand & Margalit, Advanced Spot-instance Utilization (2023)",
      .options = spot_fallback_options(),
      .schedules = false,
      .check = check_spot_fallback,
      .idle = idle_spot_fallback,
      .reaches = spot_fallback_reaches,
      .verbs = always<VerbKind::place_job, VerbKind::stop_job, VerbKind::clone_job>,
      .make = make_spot_fallback,
  };
}

}  // namespace reeve::policies

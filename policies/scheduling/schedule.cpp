#include "schedule.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "job_news.hpp"
#include "quota.hpp"
#include "waiting_jobs.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "its turn, and it fits";

/// From a nanosecond to more than an hour.
constexpr std::uint8_t doublings_max = 42;

/// Keys of timers from here on are of limits, others of jobs.
constexpr std::uint64_t kLimits = std::uint64_t{1} << 32U;

/// First in, first out: by the instant of submission.
struct SubmissionOrder {
  using Lane = ArrivalLane;
  static Waiting place(JobId job, AttemptNumber attempt, Instant requested_at, const FleetView&) {
    return {.first = requested_at.time_since_epoch().count(),
            .second = 0,
            .job = job,
            .attempt = attempt};
  }
};

/// Shortest job first, by the user's own estimate of the whole job.
struct ShortestFirst {
  using Lane = HeapLane;
  static Waiting place(JobId job, AttemptNumber attempt, Instant, const FleetView& fleet) {
    const JobDescription& description = fleet.description(job);
    return {.first = description.expected_work.count(),
            .second = description.submitted_at.time_since_epoch().count(),
            .job = job,
            .attempt = attempt};
  }
};

/// Those whose start was refused by one thing that may have room again: the machines of a pool, or
/// a quota of the account.
struct Limit {
  std::map<std::uint32_t, std::set<Waiting>> refused;  ///< by size
  /// Who asks for so many or more is refused, as far as is known since something ended.
  std::uint32_t full_for = std::numeric_limits<std::uint32_t>::max();
  std::size_t asked = 0;      ///< starts that are asked for and not answered
  Instant look = never;       ///< when one of them finds out whether there is room
  std::uint8_t refusals = 0;  ///< one after the other
  bool stirred = false;
};

/// A job whose start was refused, and which is not to be asked for again before.
struct Held {
  Waiting place;
  Instant until = never;
  std::optional<std::size_t> limit;  ///< what refused it, if that may have room
  std::uint32_t instances = 0;
};

/// Grants the machines of each pool to queued jobs in the order of `Order`.  Costs O(log sizes) per
/// piece of news and per grant (SJF: and O(log queue)); it never walks the queue.  Who was refused
/// is held until a timer fires or what refused it may have room.  In strict order only the first of
/// a pool is: all others are behind it.
template <class Order>
class Schedule final : public Policy {
 public:
  explicit Schedule(const Options& options)
      : retry_after_{options.duration("retry_after")},
        strict_{options.text("backfill") == "none"} {}

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) note(seen, step, out);
    grant_touched(step.fleet, out);
    for (const std::size_t limit : stirred_) {
      limits_[limit].stirred = false;
      while (release_next(limits_[limit], step.fleet)) grant_touched(step.fleet, out);
    }
    stirred_.clear();
  }

 private:
  enum class Phase : std::uint8_t { unknown, queued, held, granted, running, ended };

  /// The newest attempt of a job.  `granted` and `running` attempts count as using their machines.
  struct Job {
    Instant requested_at;
    std::uint32_t instances = 0;  ///< 0: not told of yet
    PoolId pool;
    std::uint32_t revision = 0;  ///< of the newest news
    AttemptNumber attempt = 0;
    Phase phase : 7 = Phase::unknown;
    bool awaits_placement : 1 = false;
    std::uint8_t refusals = 0;  ///< of this attempt, one after the other
  };
  static_assert(sizeof(Job) == 24, "one for each job of a fleet, which may be millions");

  struct Pool {
    WaitingJobs<typename Order::Lane> waiting;
    std::vector<JobId> too_large;  ///< for the pool as it is
    std::int64_t capacity = 0;
    std::int64_t used = 0;
    std::size_t machines = 0;     ///< its own limit
    std::size_t quota = 0;        ///< the limit that it shares with others
    std::optional<Waiting> held;  ///< in strict order: who nobody behind may pass
    bool one_by_one = false;      ///< in strict order, from a refusal on
    bool touched = false;
  };

  void note(const Observation& seen, const Step& step, Decisions& out) {
    if (const auto* news = std::get_if<JobChanged>(&seen.fact)) {
      changed(*news, seen.happened_at, step.fleet);
    } else if (const auto* submitted_job = std::get_if<JobSubmitted>(&seen.fact)) {
      submitted(*submitted_job, seen.happened_at, step.fleet);
    } else if (const auto* place = std::get_if<JobPlaced>(&seen.fact)) {
      placed(*place, step.fleet);
    } else if (const auto* settled = std::get_if<ActionSettled>(&seen.fact)) {
      settle(*settled, seen, step, out);
    } else if (const auto* capacity = std::get_if<CapacityChanged>(&seen.fact)) {
      resize(capacity->pool, step.fleet);
    } else if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
      if (timer->key >= kLimits) return find_out(limits_[timer->key - kLimits], step);
      const auto held = held_.find({static_cast<std::uint32_t>(timer->key)});
      if (held != held_.end() && held->second.until <= step.now) release(held->first, step.fleet);
    } else if (std::holds_alternative<KillSwitchChanged>(seen.fact)) {
      for (std::size_t i = 0; i < pools_.size(); ++i) touch({static_cast<std::uint32_t>(i)});
      for (std::size_t i = 0; i < limits_.size(); ++i) reopen(i);
    }
  }

  void submitted(const JobSubmitted& news, Instant at, const FleetView& fleet) {
    Job& job = row(news.job);
    if (news.attempt > job.attempt) {
      leave(news.job);  // an attempt is only followed by another when it is over
      job.attempt = news.attempt;
      job.refusals = 0;
      job.revision = 0;
      describe(job, news.job, at, fleet);
      enqueue(news.job, fleet);
    } else if (news.attempt == job.attempt && job.instances == 0) {
      const bool uses = job.phase == Phase::granted || job.phase == Phase::running;
      describe(job, news.job, at, fleet);
      if (uses) pool_of(job.pool, fleet).used += job.instances;
      if (job.phase == Phase::queued) enqueue(news.job, fleet);
    }
  }

  /// The attempt is to run elsewhere than it asked for: it takes its place in the line there.
  void placed(const JobPlaced& news, const FleetView& fleet) {
    Job& job = row(news.job);
    // News that overtook the submission is part of what the submission will say.
    if (news.attempt != job.attempt || job.instances == 0 || job.phase == Phase::ended) return;
    if (job.pool == news.pool && !job.awaits_placement) return;
    leave(news.job);
    job.pool = news.pool;
    job.awaits_placement = false;
    Pool& pool = pool_of(news.pool, fleet);
    if (job.phase != Phase::granted && job.phase != Phase::running) {
      return enqueue(news.job, fleet);
    }
    use(pool, job);
    touch(news.pool);
  }

  void changed(const JobChanged& news, Instant at, const FleetView& fleet) {
    Job& job = row(news.job);
    if (news.attempt < job.attempt) return;
    if (news.attempt > job.attempt) {  // overtook the news of its own submission
      leave(news.job);
      job.attempt = news.attempt;
      job.refusals = 0;
      job.phase = Phase::unknown;
    } else if (news.revision < job.revision) {
      return;
    }
    const bool fresh = news.revision > job.revision;
    job.revision = news.revision;
    if (is_terminal(news.primary)) {
      const bool had_machines = job.phase == Phase::running || job.phase == Phase::granted;
      leave(news.job);
      job.phase = Phase::ended;
      if (had_machines && job.instances > 0) {
        reopen(pools_[job.pool.index].machines);
        reopen(pools_[job.pool.index].quota);
      }
    } else if (news.primary != Primary::queued) {
      run(job, news.job, fleet);
    } else if (job.phase == Phase::unknown) {
      wait_for_turn(news.job, at, fleet);
    } else if (job.phase == Phase::running && fresh) {
      leave(news.job);
      enqueue(news.job, fleet);
    }
  }

  /// A queued attempt whose submission was not told yet; later attempts are like the first one.
  void wait_for_turn(JobId id, Instant at, const FleetView& fleet) {
    Job& job = jobs_[id.index];
    job.requested_at = at;
    enqueue(id, fleet);
  }

  /// The attempt runs, whoever started it.
  void run(Job& job, JobId id, const FleetView& fleet) {
    if (job.phase == Phase::ended) return;
    if (job.phase != Phase::granted && job.phase != Phase::running) {
      leave(id);
      pool_of(job.pool, fleet).used += job.instances;
    }
    if (job.phase == Phase::granted) {
      answered(job);
      const Pool& pool = pools_[job.pool.index];
      for (const std::size_t limit : {pool.machines, pool.quota}) {
        limits_[limit].refusals = 0;
        if (job.instances >= limits_[limit].full_for) reopen(limit);
      }
    }
    job.phase = Phase::running;
    job.refusals = 0;
  }

  void settle(const ActionSettled& settled, const Observation& seen, const Step& step,
              Decisions& out) {
    Job& job = row(settled.job);
    const bool mine = settled.seat == step.seat && settled.verb == VerbKind::start_job;
    if (!mine) {
      // Another rule's action that stood in the way of the start is over.
      if (job_with_news(seen, step.seat)) release(settled.job, step.fleet);
      return;
    }
    if (worked(settled) || settled.attempt != job.attempt || job.phase != Phase::granted) return;
    leave(settled.job);
    // While the switch is engaged nobody is asked for, and at its release everybody.
    if (settled.refusal == Refusal::kill_switch) return enqueue(settled.job, step.fleet);
    hold(settled, step, out);
  }

  /// What refused a start, if it may have room before the timer says so.
  std::optional<std::size_t> limit_of(const ActionSettled& settled, const Pool& pool) const {
    switch (again(settled)) {
      case Again::when_room:
        return pool.quota;
      case Again::never:
        return pool.machines;
      case Again::with_news:
      case Again::later:
      case Again::when_released:
        return std::nullopt;
    }
    return std::nullopt;
  }

  void hold(const ActionSettled& settled, const Step& step, Decisions& out) {
    const JobId id = settled.job;
    Job& job = jobs_[id.index];
    Pool& pool = pools_[job.pool.index];
    const Waiting place = Order::place(id, job.attempt, job.requested_at, step.fleet);
    const std::optional<std::size_t> limit = limit_of(settled, pool);
    if (limit) {
      limits_[*limit].full_for = std::min(limits_[*limit].full_for, job.instances);
      stir(*limit);
    }
    if (strict_) {
      pool.one_by_one = true;
      if (pool.held && *pool.held < place) return enqueue(id, step.fleet);
      if (pool.held) release(pool.held->job, step.fleet);
      pool.held = place;
    }
    job.phase = Phase::held;
    const bool of_quota = limit == pool.quota;
    const Instant until = of_quota ? never : later(step.now, wait_after(job.refusals));
    if (job.refusals < doublings_max) ++job.refusals;
    held_[id] = {.place = place, .until = until, .limit = limit, .instances = job.instances};
    if (limit) {
      limits_[*limit].refused[job.instances].insert(place);
      stir(*limit);
      if (of_quota) look_later(*limit, step, out);
    }
    if (until != never) out.wake_at(id.index, until);
  }

  /// One timer for all that a quota refused, however many they are.
  void look_later(std::size_t place, const Step& step, Decisions& out) {
    Limit& limit = limits_[place];
    if (limit.look != never) return;
    limit.look = later(step.now, wait_after(limit.refusals));
    if (limit.refusals < doublings_max) ++limit.refusals;
    if (limit.look != never) out.wake_at(kLimits + place, limit.look);
  }

  /// The smallest is the likeliest to find room, and if it does all others are asked for.
  void find_out(Limit& limit, const Step& step) {
    if (limit.look > step.now) return;
    limit.look = never;
    if (limit.refused.empty()) return;
    const JobId job = limit.refused.begin()->second.begin()->job;
    release(job, step.fleet);
  }

  /// Twice as long with each refusal, until that is an hour or more: what nobody will ever free
  /// must not be asked for each minute.
  Duration wait_after(std::uint8_t refusals) const {
    Duration wait = retry_after_;
    for (; refusals > 0 && wait < std::chrono::hours{1}; --refusals) wait *= 2;
    return wait;
  }

  /// A refused attempt takes its old place in the queue again.
  void release(JobId id, const FleetView& fleet) {
    if (row(id).phase != Phase::held) return;
    leave(id);
    enqueue(id, fleet);
  }

  /// Releases the first of those that the limit may have room for.  One is asked for at a time, so
  /// that thousands cost as much as do start; who is larger than one that was refused is not.
  bool release_next(const Limit& limit, const FleetView& fleet) {
    if (limit.asked > 0 || fleet.kill_switch_engaged()) return false;
    std::optional<Waiting> first;
    for (const auto& [size, refused] : limit.refused) {
      if (size >= limit.full_for) break;
      if (!first || *refused.begin() < *first) first = *refused.begin();
    }
    if (first) release(first->job, fleet);
    return first.has_value();
  }

  /// Something that the limit counts has ended.
  void reopen(std::size_t limit) {
    limits_[limit].full_for = std::numeric_limits<std::uint32_t>::max();
    stir(limit);
  }

  /// Looks at the end of the step whether somebody may be released.
  void stir(std::size_t limit) {
    Limit& stirred = limits_[limit];
    if (stirred.refused.empty() || std::exchange(stirred.stirred, true)) return;
    stirred_.push_back(limit);
  }

  /// A start that was asked for is no longer: it happened, was refused, or nobody wants it.
  void answered(const Job& job) {
    const Pool& pool = pools_[job.pool.index];
    for (const std::size_t limit : {pool.machines, pool.quota}) {
      --limits_[limit].asked;
      stir(limit);
    }
    touch(job.pool);
  }

  /// Takes the attempt out of wherever it is; its entry in the queue is left to be found stale.
  void leave(JobId id) {
    Job& job = jobs_[id.index];
    if (job.phase == Phase::unknown || job.instances == 0) return;
    Pool& pool = pools_[job.pool.index];
    if (job.phase == Phase::granted || job.phase == Phase::running) pool.used -= job.instances;
    if (job.phase == Phase::granted) answered(job);
    if (job.phase == Phase::held) let_go(held_.find(id), pool);
    touch(job.pool);
  }

  void let_go(std::map<JobId, Held>::iterator held, Pool& pool) {
    const auto& [place, until, limit, instances] = held->second;
    if (pool.held == place) pool.held.reset();
    if (limit) {
      const auto lane = limits_[*limit].refused.find(instances);
      lane->second.erase(place);
      if (lane->second.empty()) limits_[*limit].refused.erase(lane);
    }
    held_.erase(held);
  }

  void describe(Job& job, JobId id, Instant at, const FleetView& fleet) {
    const JobDescription& description = fleet.description(id);
    job.requested_at = at;
    job.instances = description.instances;
    job.pool = description.pool;
    job.awaits_placement = description.awaits_placement;
    pool_of(job.pool, fleet);
  }

  void enqueue(JobId id, const FleetView& fleet) {
    Job& job = jobs_[id.index];
    job.phase = Phase::queued;
    // It gets its place when its submission, or where it is placed, is told.
    if (job.instances == 0 || job.awaits_placement) return;
    // Strict order is one lane: whoever is first waits until there is room.
    const std::uint32_t lane = strict_ ? 0 : job.instances;
    pools_[job.pool.index].waiting.push(lane,
                                        Order::place(id, job.attempt, job.requested_at, fleet));
    touch(job.pool);
  }

  bool stale(const Pool& pool, const Waiting& entry) const {
    const Job& job = jobs_[entry.job.index];
    return job.phase != Phase::queued || job.attempt != entry.attempt ||
           &pools_[job.pool.index] != &pool;
  }

  void grant_touched(const FleetView& fleet, Decisions& out) {
    for (const PoolId pool : touched_) {
      pools_[pool.index].touched = false;
      grant(pools_[pool.index], fleet, out);
    }
    touched_.clear();
  }

  void grant(Pool& pool, const FleetView& fleet, Decisions& out) {
    if (fleet.kill_switch_engaged()) return;  // asking would only be refused
    while (pool.used < pool.capacity) {
      if (pool.one_by_one && limits_[pool.machines].asked > 0) return;
      const std::int64_t free = pool.capacity - pool.used;
      const Waiting* const next = pool.waiting.best(free);
      if (next == nullptr) {
        pool.one_by_one = pool.held.has_value();
        return;
      }
      if (stale(pool, *next)) {
        pool.waiting.pop_best();
        continue;
      }
      if (pool.held && *pool.held < *next) return;
      Job& job = jobs_[next->job.index];
      if (job.instances > free) {
        if (job.instances <= pool.capacity) return;
        pool.too_large.push_back(next->job);  // it would block the pool for ever
        pool.waiting.pop_best();
        continue;
      }
      out.propose(StartJob{next->job, next->attempt}, kReason);
      pool.waiting.pop_best();
      job.phase = Phase::granted;
      use(pool, job);
    }
  }

  void use(Pool& pool, const Job& job) {
    pool.used += job.instances;
    if (job.phase != Phase::granted) return;
    ++limits_[pool.machines].asked;
    ++limits_[pool.quota].asked;
  }

  void resize(PoolId id, const FleetView& fleet) {
    Pool& pool = pool_of(id, fleet);
    const auto capacity = std::int64_t{fleet.capacity(id)};
    const bool grown = capacity > pool.capacity;
    pool.capacity = capacity;
    if (grown) {
      reopen(pool.machines);
      const std::vector<JobId> again = std::exchange(pool.too_large, {});
      for (const JobId job : again) {
        if (jobs_[job.index].phase == Phase::queued) enqueue(job, fleet);
      }
    }
    touch(id);
  }

  Job& row(JobId job) {
    if (job.index >= jobs_.size()) jobs_.resize(std::size_t{job.index} + 1);
    return jobs_[job.index];
  }

  Pool& pool_of(PoolId pool, const FleetView& fleet) {
    while (pool.index >= pools_.size()) {
      const PoolId next{static_cast<std::uint32_t>(pools_.size())};
      pools_.emplace_back();
      if (next.index < fleet.pool_count()) pools_.back().capacity = fleet.capacity(next);
      const auto& known = fleet.directory().pools;
      const Quota quota = next.index < known.size() ? quota_of(known[next.index]) : Quota{};
      pools_.back().quota = quotas_.try_emplace(quota, limits_.size()).first->second;
      if (pools_.back().quota == limits_.size()) limits_.emplace_back();
      pools_.back().machines = limits_.size();
      limits_.emplace_back();
    }
    return pools_[pool.index];
  }

  void touch(PoolId pool) {
    if (pools_[pool.index].touched) return;
    pools_[pool.index].touched = true;
    touched_.push_back(pool);
  }

  Duration retry_after_;
  bool strict_;
  std::vector<Job> jobs_;
  std::vector<Pool> pools_;
  std::vector<PoolId> touched_;
  std::vector<Limit> limits_;
  std::map<Quota, std::size_t> quotas_;  ///< their places in `limits_`
  std::vector<std::size_t> stirred_;     ///< in `limits_`
  std::map<JobId, Held> held_;
};

std::unique_ptr<Policy> make(const Options& options) {
  if (options.text("algorithm") == "sjf") return std::make_unique<Schedule<ShortestFirst>>(options);
  return std::make_unique<Schedule<SubmissionOrder>>(options);
}

}  // namespace

PolicyKind schedule_kind() {
  return {
      .name = "schedule",
      .summary = "starts queued jobs when their turn comes and machines are free",
      .source =
          "Harchol-Balter, Performance Modeling and Design of Computer Systems (2013), FCFS and "
          "SJF; AWS Batch User Guide, job queues without a scheduling policy (FIFO)",
      .options =
          {
              {.name = "algorithm",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("fifo")",
               .choices = {"fifo", "sjf"},
               .help = "order of the queue: fifo by submission, sjf by the expected run time"},
              {.name = "backfill",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("none")",
               .choices = {"none", "any_fit"},
               .help =
                   "none: the first in line blocks its pool; any_fit: any job that fits starts"},
              {.name = "retry_after",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("1m")",
               .min = 1,
               .choices = {},
               .help = "wait before a refused start is asked for again; doubles to an hour"},
          },
      .schedules = true,
      .check = nullptr,
      .make = make,
  };
}

}  // namespace reeve::policies

#include "schedule.hpp"

#include <deque>
#include <utility>

#include "job_news.hpp"
#include "waiting_jobs.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "its turn, and it fits";

/// From a nanosecond to more than an hour.
constexpr std::uint8_t doublings_max = 42;

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

/// Grants the machines of each pool to queued jobs in the order of `Order`.  Costs O(log sizes) per
/// piece of news and per grant (SJF: and O(log queue)); it never walks the queue.
template <class Order>
class Schedule final : public Policy {
 public:
  explicit Schedule(const Options& options)
      : retry_after_{options.duration("retry_after")},
        strict_{options.text("backfill") == "none"} {}

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) note(seen, step, out);
    for (const PoolId pool : touched_) {
      pools_[pool.index].touched = false;
      grant(pools_[pool.index], step.fleet, out);
    }
    touched_.clear();
  }

 private:
  enum class Phase : std::uint8_t { unknown, queued, held, granted, running, ended };

  /// The newest attempt of a job.  `granted` and `running` attempts count as using their machines.
  struct Job {
    Instant requested_at;
    Instant held_until = never;   ///< `held`: refused, and not to be asked for again before
    std::uint32_t instances = 0;  ///< 0: not told of yet
    PoolId pool;
    std::uint32_t revision = 0;  ///< of the newest news
    AttemptNumber attempt = 0;
    Phase phase : 7 = Phase::unknown;
    bool awaits_placement : 1 = false;
    std::uint8_t refusals = 0;  ///< of this attempt, one after the other
  };
  static_assert(sizeof(Job) == 32, "one for each job of a fleet, which may be millions");

  struct Pool {
    WaitingJobs<typename Order::Lane> waiting;
    std::vector<JobId> too_large;  ///< for the pool as it is
    std::int64_t capacity = 0;
    std::int64_t used = 0;
    std::uint32_t held = 0;
    std::deque<JobId> refused;  ///< those held, oldest refusal first; and some that are no more
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
      if (timer->key >= jobs_.size()) return;
      const JobId job{static_cast<std::uint32_t>(timer->key)};
      if (row(job).held_until <= step.now) release(job, step.fleet);
    } else if (std::holds_alternative<KillSwitchChanged>(seen.fact)) {
      touch_all();
    }
  }

  void touch_all() {
    for (std::size_t i = 0; i < pools_.size(); ++i) touch({static_cast<std::uint32_t>(i)});
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
    pool.used += job.instances;
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
      const bool had_machines = job.phase == Phase::running;
      leave(news.job);
      job.phase = Phase::ended;
      if (had_machines) release_next(job.pool, fleet);
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
    const bool was_asked = job.phase == Phase::granted;
    job.phase = Phase::running;
    job.refusals = 0;
    if (was_asked) release_next(job.pool, fleet);
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
    job.phase = Phase::held;
    ++pools_[job.pool.index].held;
    pools_[job.pool.index].refused.push_back(settled.job);
    job.held_until = later(step.now, wait_after(job.refusals));
    if (job.refusals < doublings_max) ++job.refusals;
    if (job.held_until != never) out.wake_at(settled.job.index, job.held_until);
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

  /// Whatever kept the pool's machines from who was refused may be over: an attempt there ended, or
  /// one that was asked for again has started.  One is asked for, so that thousands cost as much as
  /// do start.
  void release_next(PoolId id, const FleetView& fleet) {
    std::deque<JobId>& refused = pools_[id.index].refused;
    while (!refused.empty()) {
      const JobId next = refused.front();
      refused.pop_front();
      const Job& job = jobs_[next.index];
      if (job.phase == Phase::held && job.pool == id) return release(next, fleet);
    }
  }

  /// Takes the attempt out of wherever it is; its entry in the queue is left to be found stale.
  void leave(JobId id) {
    Job& job = jobs_[id.index];
    if (job.phase == Phase::unknown || job.instances == 0) return;
    Pool& pool = pools_[job.pool.index];
    if (job.phase == Phase::granted || job.phase == Phase::running) pool.used -= job.instances;
    if (job.phase == Phase::held) --pool.held;
    job.held_until = never;
    touch(job.pool);
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

  void grant(Pool& pool, const FleetView& fleet, Decisions& out) {
    if (fleet.kill_switch_engaged()) return;  // asking would only be refused
    if (strict_ && pool.held > 0) return;
    while (pool.used < pool.capacity) {
      const std::int64_t free = pool.capacity - pool.used;
      const Waiting* const next = pool.waiting.best(free);
      if (next == nullptr) return;
      if (stale(pool, *next)) {
        pool.waiting.pop_best();
        continue;
      }
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
      pool.used += job.instances;
    }
  }

  void resize(PoolId id, const FleetView& fleet) {
    Pool& pool = pool_of(id, fleet);
    const auto capacity = std::int64_t{fleet.capacity(id)};
    const bool grown = capacity > pool.capacity;
    pool.capacity = capacity;
    if (grown) {
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

#include "alternatives.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "alternatives_options.hpp"
#include "full_quotas.hpp"
#include "job_rule.hpp"
#include "proposed_verbs.hpp"
#include "quota.hpp"
#include "unasked_jobs.hpp"
#include "wait_or_move.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Of timers of no job.
constexpr JobId no_job{std::numeric_limits<std::uint32_t>::max()};

constexpr std::string_view kMove = "waited too long for its fleet";
constexpr std::string_view kAlternativesClone = "goes on where machines are free";

/// What is under way for a job.
enum class Move : std::uint8_t { none, place, stop, clone };

/// Jobs that may go to the same fleets: the fleet they ask for, their size, and whether they failed
/// for lack of machines.
using Lane = std::tuple<PoolId, std::uint32_t, bool>;

struct AlternativesRow {
  PoolId holds;                 ///< the fleet that counts `instances` of it
  std::uint32_t instances = 0;  ///< 0: it holds none
  std::optional<Lane> lane;     ///< where it is in line
  Instant since = never;        ///< its key there: when the wait began
  Instant sent_at = never;      ///< when the move of `sent` was over
  AttemptNumber sent = 0;       ///< newest attempt that was sent to its fleet
  AttemptNumber barred = 0;     ///< newest attempt whose move was refused on its merits
  bool barred_alive = false;    ///< that move was of one that waited: what fails later may go
  AttemptNumber moved = 0;      ///< the attempt that `move` is of
  AttemptNumber counts = 0;     ///< newest attempt that counts in a quota; 0: none does now
  Move move = Move::none;
  std::uint8_t moves = 0;  ///< times it was sent, or refused to be, since it last had machines
  bool asked = false;      ///< for the present step of `move`
  PoolId target;           ///< of `move`: machines there are promised to it
  Instant again_at = Instant::min();  ///< nothing is asked for before
};

std::vector<PoolId> pools_named(const std::vector<std::string>& names, const Directory& directory) {
  std::vector<PoolId> pools;
  for (const std::string& name : names) {
    if (const auto pool = directory.pool_named(name)) pools.push_back(*pool);
  }
  return pools;
}

/// Places a pending attempt in the first fleet of the list that has room.  An attempt that the
/// platform has queued already is stopped and cloned there; so is one that failed for lack of
/// capacity.  Room is the believed capacity less what attempts hold there or were placed for; a
/// fleet whose quota has just refused a request has none.  A stopped job is cloned even if the room
/// is gone meanwhile: it must run.
class Alternatives final : public JobRule<AlternativesRow> {
 public:
  explicit Alternatives(const Options& options)
      : fleets_{options.texts("fleets")},
        after_{options.duration("after")},
        wait_or_move_{options},
        full_{after_} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    AlternativesRow& row = jobs_[job];
    // A stop that was given up, or that a guard put off, may have worked before.
    const bool stopped = row.moved == status.attempt && is_own_stop(status, step);
    if (stopped && row.move == Move::none) row.move = Move::stop;
    if (row.move != Move::none) follow(job, step, out);
    count(job, step.fleet);
    leave_line(row, job);
    count_in_quota(job, step.fleet);
    const bool lacked = lacked_machines(status);
    const bool waits = waits_for_machines(status) || lacked;
    if (!waits && status.primary == Primary::in_progress) row.moves = 0;
    // Before its submission event its size is unknown, and so is its position in the queue.
    if (!waits || !may_move(row, status) || !step.fleet.is_described(job)) return;
    const Instant due = due_at(row, status);
    if (due > step.now) {
      if (due == never) return;
      return out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
    const JobDescription& description = step.fleet.description(job);
    row.lane = Lane{description.pool, description.instances, lacked};
    row.since = status.since;
    lines_[*row.lane].emplace(row.since, job);
    const bool is_in_order = row.since == status.requested_at;
    if (wait_or_move_.has_limit()) unasked_[*row.lane].came({row.since, job}, is_in_order);
    may_move_again_ = true;
  }

  /// What cannot be cloned is not stopped for it either.
  static bool may_move(const AlternativesRow& row, const JobStatus& status) {
    const bool another = status.primary == Primary::queued ||
                         status.attempt < std::numeric_limits<AttemptNumber>::max();
    const bool barred =
        row.barred == status.attempt && !(row.barred_alive && lacked_machines(status));
    return another && row.move == Move::none && !barred;
  }

  static bool waits_for_machines(const JobStatus& status) {
    return status.primary == Primary::queued || awaits_capacity(status);
  }
  static bool lacked_machines(const JobStatus& status) {
    return status.primary == Primary::failed && status.failure == FailureClass::capacity;
  }

  /// The wait counts from its beginning, or from the last move.  Who was sent to machines that were
  /// not there waits a little before it is sent on, longer each time: something that the rule does
  /// not see may hold them.
  Instant due_at(const AlternativesRow& row, const JobStatus& status) const {
    if (!lacked_machines(status)) {
      const bool sent = row.sent == status.attempt;
      return later(sent ? std::max(status.since, row.sent_at) : status.since,
                   patience(after_, row.moves));
    }
    const bool sent = status.origin == Origin::rule;
    return std::max(row.again_at, sent ? later(status.ended_at, pause(row)) : status.ended_at);
  }

  static Duration pause(const AlternativesRow& row) {
    return ask_again_after(row.moves > 1 ? row.moves - 1U : 0);
  }

  static void count_move(AlternativesRow& row) {
    if (row.moves < std::numeric_limits<std::uint8_t>::max()) ++row.moves;
  }

  /// What ends leaves room in its quota.
  void count_in_quota(JobId job, const FleetView& fleet) {
    const JobStatus& status = fleet.status(job);
    AttemptNumber& counts = jobs_[job].counts;
    const bool ended = is_terminal(status.primary) || status.attempt > counts;
    if (counts > 0 && ended)
      may_move_again_ = full_.reopen(quota_of(job, fleet)) || may_move_again_;
    if (ended) counts = 0;
    if (status.primary == Primary::in_progress) counts = status.attempt;
  }

  static Quota quota_of(PoolId pool, const FleetView& fleet) {
    return policies::quota_of(fleet.directory().pools[pool.index]);
  }
  static Quota quota_of(JobId job, const FleetView& fleet) {
    return quota_of(fleet.description(job).pool, fleet);
  }

  void note_full(Quota quota, std::uint32_t instances, const Step& step, Decisions& out) {
    expect_room(quota, full_.refused(quota, instances, step.now), out);
  }

  static void expect_room(Quota quota, Instant at, Decisions& out) {
    if (at == never) return;
    const TimerKey key{.job = no_job,
                       .attempt = static_cast<AttemptNumber>(quota.type.index),
                       .purpose = static_cast<std::uint16_t>(quota.spot ? 2 : 1)};
    out.wake_at(key.packed(), at);
  }

  static bool is_own_stop(const JobStatus& status, const Step& step) {
    return status.attempt != 0 && status.primary == Primary::stopped &&
           status.stopped_by == step.seat.index + 1;
  }

  /// The next step of the move under way, if it is time for it.
  void follow(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    AlternativesRow& row = jobs_[job];
    if (status.attempt != row.moved) {
      const bool cloned = row.move == Move::clone && status.attempt == row.moved + 1;
      row.move = Move::none;  // done, or submitted again by another rule or a person
      if (!cloned) return;
      may_move_again_ = full_.reopen(quota_of(row.target, step.fleet)) || may_move_again_;
      arrive(row, status.attempt, step.now);
      return;
    }
    if (row.move == Move::stop && is_own_stop(status, step)) {
      row.move = Move::clone;
      row.asked = false;
    }
    const bool over = is_terminal(status.primary);
    const bool waits = waits_for_machines(status);
    const bool goes_on = row.move == Move::clone ? over : row.move == Move::stop ? !over : waits;
    if (!goes_on) row.move = Move::none;
    const bool may_ask = row.move == Move::clone || (row.move != Move::none && waits);
    if (may_ask && !row.asked && row.again_at <= step.now) ask(job, step, out);
  }

  void ask(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    AlternativesRow& row = jobs_[job];
    row.asked = true;
    const auto known = bases_.find(job);
    const bool goes = row.target != step.fleet.description(job).pool;
    std::string basis = known != bases_.end() && goes ? known->second : "";
    if (row.move == Move::place) {
      out.propose(PlaceJob{job, status.attempt, row.target}, kMove, std::move(basis));
    } else if (row.move == Move::stop) {
      out.propose(StopJob{job, status.attempt}, kMove, std::move(basis));
    } else {
      const auto next = static_cast<AttemptNumber>(status.attempt + 1);
      out.propose(CloneJob{job, next, ResumeFrom::last_checkpoint, true, row.target},
                  kAlternativesClone, std::move(basis));
    }
  }

  static void arrive(AlternativesRow& row, AttemptNumber attempt, Instant now) {
    row.move = Move::none;
    row.sent = attempt;
    row.sent_at = now;
    count_move(row);
  }

  /// What the job holds, or is to hold.
  void count(JobId job, const FleetView& fleet) {
    const JobStatus& status = fleet.status(job);
    const JobDescription& description = fleet.description(job);
    AlternativesRow& row = jobs_[job];
    const bool moves = row.move != Move::none;
    const bool waits = waits_for_machines(status);
    const bool holds = moves || (waits ? row.sent == status.attempt : !is_terminal(status.primary));
    note_stand(job, moves || waits, fleet);
    if (!moves && !fleet.is_described(job)) {  // the clone that it was sent as, or unknown
      const bool sent = row.sent == status.attempt && status.attempt != 0;
      return hold(row, row.target, holds && sent ? row.instances : 0);
    }
    hold(row, moves ? row.target : description.pool, holds ? description.instances : 0);
  }

  /// Without its submission event its needs are unknown, and so are the jobs that it delays.
  void note_stand(JobId job, bool waits, const FleetView& fleet) {
    using Stand = LineForecast::Stand;
    const AlternativesRow& row = jobs_[job];
    const bool is_known = fleet.is_described(job);
    const bool holds = is_known && !is_terminal(fleet.status(job).primary);
    const PoolId pool = row.move == Move::none ? fleet.description(job).pool : row.target;
    const Stand stand = is_known && waits ? Stand::waits : holds ? Stand::holds : Stand::nowhere;
    may_move_again_ = wait_or_move_.note(job, pool, stand, fleet) || may_move_again_;
  }

  void hold(AlternativesRow& row, PoolId pool, std::uint32_t instances) {
    const std::size_t last = std::max(row.holds.index, pool.index);
    if (last >= held_.size()) held_.resize(last + 1);
    const bool frees = row.instances > 0 && (row.holds != pool || instances < row.instances);
    may_move_again_ = may_move_again_ || frees;
    held_[row.holds.index] -= row.instances;
    row.holds = pool;
    row.instances = instances;
    held_[pool.index] += instances;
  }

  void leave_line(AlternativesRow& row, JobId job) {
    if (!row.lane) return;
    lines_[*row.lane].erase({row.since, job});
    if (wait_or_move_.has_limit()) unasked_[*row.lane].left({row.since, job});
    row.lane.reset();
  }

  /// The longest wait is served first, where something may have become free, or is late.
  void look_around(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      may_move_again_ = may_move_again_ || std::holds_alternative<CapacityChanged>(seen.fact);
      const auto* timer = std::get_if<TimerFired>(&seen.fact);
      may_move_again_ =
          may_move_again_ || (timer != nullptr && TimerKey::unpacked(timer->key).job == no_job);
      // A scheduler's start: what waits for its turn there waits for the quota.
      const auto* start = std::get_if<ActionSettled>(&seen.fact);
      if (start == nullptr || start->verb != VerbKind::start_job) continue;
      if (start->refusal != Refusal::no_room) continue;
      const JobDescription& refused = step.fleet.description(start->job);
      note_full(quota_of(refused.pool, step.fleet), refused.instances, step, out);
    }
    if (!std::exchange(may_move_again_, false)) return;
    resolve(step.fleet.directory());
    for (auto next = first_with_room(step); next; next = first_with_room(step)) {
      move(next->first.second, next->second, step, out);
    }
    may_move_again_ = false;  // of the moves themselves
    look_again(out);
  }

  /// Who stays for the price may go when its wait turns out to be longer.
  void look_again(Decisions& out) {
    const Instant at = wait_or_move_.take_look();
    if (at != never) out.wake_at(TimerKey{.job = no_job, .purpose = 3}.packed(), at);
  }

  /// The fleets by their names, once.
  void resolve(const Directory& directory) {
    if (pools_.size() != fleets_.size()) pools_ = pools_named(fleets_, directory);
  }

  /// The job that has waited longest of those that can go somewhere, and where.
  std::optional<std::pair<Waiter, PoolId>> first_with_room(const Step& step) {
    std::optional<std::pair<Waiter, PoolId>> first;
    for (const auto& [lane, jobs] : lines_) {
      if (jobs.empty() || (first && first->first < *jobs.begin())) continue;
      const std::vector<PoolId> rooms = rooms_for(lane, step);
      if (rooms.empty()) continue;
      const auto next = wait_or_move_.has_limit() ? first_worth_it(lane, rooms, step)
                                                  : std::pair{*jobs.begin(), rooms.front()};
      if (next && (!first || next->first < first->first)) first = next;
    }
    return first;
  }

  /// The same of a lane, where the price decides.  Who stays is asked again when its wait has
  /// become another one, or another fleet has room.
  std::optional<std::pair<Waiter, PoolId>> first_worth_it(const Lane& lane,
                                                          const std::vector<PoolId>& rooms,
                                                          const Step& step) {
    UnaskedJobs& line = unasked_[lane];
    const PoolId own = std::get<PoolId>(lane);
    const std::uint32_t version = wait_or_move_.version(own, step);
    const bool knows_all = std::all_of(rooms.begin(), rooms.end(), [&](PoolId pool) {
      return std::find(line.rooms.begin(), line.rooms.end(), pool) != line.rooms.end();
    });
    if (!knows_all) {
      line.begin_again(std::nullopt);
    } else if (version != line.version) {
      line.begin_again(wait_or_move_.same_before(own, line.version));
    }
    line.version = version;
    line.rooms = rooms;
    for (auto next = line.next(lines_[lane]); next; next = line.next(lines_[lane])) {
      const auto pool = wait_or_move_.choose(next->second, rooms, step);
      if (pool) return std::pair{*next, *pool};
      line.asked(*next);
    }
    return std::nullopt;
  }

  /// What failed for lack of machines may go on in its own fleet too, if that has some by now.
  std::vector<PoolId> rooms_for(const Lane& lane, const Step& step) const {
    const auto& [own, instances, lacked] = lane;
    std::vector<PoolId> rooms;
    for (const PoolId pool : pools_) {
      if (pool != own && has_room(pool, instances, step)) rooms.push_back(pool);
    }
    if (lacked && has_room(own, instances, step)) rooms.push_back(own);
    return rooms;
  }

  bool has_room(PoolId pool, std::uint32_t instances, const Step& step) const {
    return room_in(pool, step.fleet) >= instances &&
           !full_.is_full(quota_of(pool, step.fleet), instances, step.now);
  }

  std::int64_t room_in(PoolId pool, const FleetView& fleet) const {
    const std::int64_t held = pool.index < held_.size() ? held_[pool.index] : 0;
    return std::int64_t{fleet.capacity(pool)} - held;
  }

  void move(JobId job, PoolId pool, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    AlternativesRow& row = jobs_[job];
    leave_line(row, job);
    if (wait_or_move_.has_limit()) bases_[job] = wait_or_move_.basis(job, pool, step);
    row.moved = status.attempt;
    row.target = pool;
    row.move = lacked_machines(status)             ? Move::clone
               : status.primary == Primary::queued ? Move::place
                                                   : Move::stop;
    count(job, step.fleet);
    const Quota quota = quota_of(pool, step.fleet);
    if (const auto until = full_.try_again(quota, step.now)) expect_room(quota, *until, out);
    ask(job, step, out);
  }

  /// What was refused on its merits stays where it is, but for what was stopped already: that
  /// goes back to its own fleet.
  void lack_consent(const ActionSettled& settled, const Step& step, Decisions& out) override {
    conclude(settled, step, out);
  }

  void conclude(const ActionSettled& settled, const Step& step, Decisions& out) override {
    AlternativesRow& row = jobs_[settled.job];
    if (row.move == Move::none) return;
    const JobStatus& status = step.fleet.status(settled.job);
    const bool warned = settled.verb == VerbKind::notify;
    if (worked(settled) && !warned) {
      if (settled.verb != VerbKind::place_job || row.move != Move::place) return;
      arrive(row, status.attempt, step.now);
      return look_at(settled.job, step, out);  // no other event says when it may move on
    }
    if (!warned && row.move == Move::clone && status.primary == Primary::stopped) {
      row.asked = false;
      const PoolId own = step.fleet.description(settled.job).pool;
      const bool was_own = std::exchange(row.target, own) == own;
      count(settled.job, step.fleet);
      if (!was_own) return ask(settled.job, step, out);
      return wait_and_ask(row, settled.job, step, out);
    }
    row.barred = status.attempt;
    row.barred_alive = row.move == Move::place;
    row.move = Move::none;
    count(settled.job, step.fleet);
  }

  /// Others may have the machines meanwhile; but who was stopped must run.
  void put_off(const ActionSettled& settled, const Step& step) override {
    AlternativesRow& row = jobs_[settled.job];
    const bool stopped = step.fleet.status(settled.job).primary == Primary::stopped;
    if (row.move == Move::none || (row.move == Move::clone && stopped)) return;
    row.move = Move::none;
    count(settled.job, step.fleet);
  }

  void lack_room(const ActionSettled& settled, const Step& step, Decisions& out) override {
    AlternativesRow& row = jobs_[settled.job];
    if (row.move != Move::clone) return conclude(settled, step, out);
    const std::uint32_t instances = step.fleet.description(settled.job).instances;
    note_full(quota_of(row.target, step.fleet), instances, step, out);
    if (step.fleet.status(settled.job).primary == Primary::stopped) {
      return conclude(settled, step, out);
    }
    row.move = Move::none;
    wait_and_ask(row, settled.job, step, out);
    count(settled.job, step.fleet);
  }

  static void wait_and_ask(AlternativesRow& row, JobId job, const Step& step, Decisions& out) {
    count_move(row);
    row.again_at = later(step.now, pause(row));
    const AttemptNumber attempt = step.fleet.status(job).attempt;
    out.wake_at(TimerKey{.job = job, .attempt = attempt}.packed(), row.again_at);
  }

  void forget(AlternativesRow& row, AttemptNumber attempt) override {
    if (attempt == row.moved || attempt == row.moved + 1) row.asked = false;
  }

  std::vector<std::string> fleets_;
  Duration after_;
  WaitOrMove wait_or_move_;
  std::map<JobId, std::string> bases_;  ///< of each one's last move
  std::vector<PoolId> pools_;           ///< those of `fleets_`
  std::vector<std::int64_t> held_;      ///< instances, by pool
  std::map<Lane, std::set<Waiter>> lines_;
  std::map<Lane, UnaskedJobs> unasked_;
  FullQuotas full_;
  bool may_move_again_ = false;  ///< a job may be able to move
};

std::unique_ptr<Policy> make_alternatives(const Options& options) {
  return std::make_unique<Alternatives>(options);
}

OptionProblem check_alternatives(const Options& options) {
  if (!options.texts("fleets").empty()) return check_wait_or_move(options);
  return {.option = "fleets",
          .message = "names no fleet: the rule can never act",
          .help = R"(as in "fleets": ["p5"])"};
}

OptionProblem doubt_alternatives(const Options& options, const Directory& directory) {
  const std::vector<PoolId> fleets = pools_named(options.texts("fleets"), directory);
  return doubt_wait_or_move(options, fleets, directory);
}

std::vector<PoolId> alternatives_reaches(const Options& options, const Directory& directory,
                                         TypeId /*type*/) {
  return pools_named(options.texts("fleets"), directory);
}

}  // namespace

PolicyKind alternatives_kind() {
  return {
      .name = "alternatives",
      .summary =
          "moves a job that waits too long for its fleet to another fleet with free instances",
      .source =
          "How Amazon Search increased ML training twofold using AWS Batch (2024), jobs on several "
          "instance types; Mu'alem and Feitelson, IEEE TPDS 12 (2001), estimates of the remaining "
          "wait",
      .options = alternatives_options(),
      .check = check_alternatives,
      .doubt = doubt_alternatives,
      .reaches = alternatives_reaches,
      .verbs = always<VerbKind::place_job, VerbKind::stop_job, VerbKind::clone_job>,
      .make = make_alternatives,
  };
}

}  // namespace reeve::policies

#include "multifactor.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fair_factor.hpp"
#include "forecast.hpp"
#include "job_order.hpp"
#include "summary_tree.hpp"
#include "turn.hpp"
#include "usage.hpp"
#include "user_of.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Priorities are whole thousandths of a point, so that equals are equal.
constexpr std::int64_t point = 1000;

std::int64_t whole_seconds(Instant at) {
  return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
}

/// When only 1/e is left.
Duration decay_of(Duration half_life) {
  if (half_life == Duration{0}) return Duration::max();
  return Duration{std::llround(static_cast<double>(half_life.count()) / std::log(2.0))};
}

/// What of each user is known, and the fair-share factors of all.
class FairShares {
 public:
  explicit FairShares(const MultifactorModel& model)
      : model_{model}, decay_{decay_of(model.half_life)} {}

  /// Its place; it is known from now on.
  std::uint32_t known(JobId job, const FleetView& fleet) {
    const auto& shares = fleet.directory().shares;
    const JobTerms& terms = fleet.terms(job);
    const auto nobodys = static_cast<std::uint32_t>(shares.size());
    const std::uint32_t share =
        terms.share && terms.share->index < nobodys ? terms.share->index : nobodys;
    const auto name = user_of(job, fleet);
    if (accounts_.empty()) {
      for (const ShareFacts& facts : shares) {
        accounts_.push_back(static_cast<double>(weight_one) / facts.weight);
      }
    }
    const auto [place, is_new] =
        places_.try_emplace({share, std::string{name.value_or("")}}, users_.size());
    if (is_new) {
      users_.push_back({.share = share});
      outdated_ = true;
    }
    return static_cast<std::uint32_t>(place->second);
  }

  void change(std::uint32_t user, Instant now, std::int64_t instances) {
    calculate(now);
    users_[user].usage.change(now, instances, decay_);
  }

  /// Factors are as of the last multiple of the period, and of all who are known now.
  void calculate(Instant now) {
    const Instant last = now - now.time_since_epoch() % model_.calc_period;
    if (last == calculated_ && !outdated_) return;
    if (last != calculated_) {
      for (User& user : users_) user.used = std::llround(user.usage.at(last, decay_));
    }
    calculated_ = last;
    outdated_ = false;
    const std::vector<Association> tree = associations();
    const std::vector<double> factors =
        model_.fair_tree ? fair_tree_factors(tree) : classic_factors(tree);
    const std::size_t first = tree.size() - users_.size();
    const auto weight = static_cast<double>(model_.fair_share_weight * point);
    for (std::size_t user = 0; user < users_.size(); ++user) {
      users_[user].points = std::llround(weight * factors[first + user]);
    }
  }
  std::int64_t points(std::uint32_t user) const { return users_[user].points; }

 private:
  struct User {
    std::uint32_t share = 0;
    Usage usage = {};
    std::int64_t used = 0;  ///< instance-seconds when factors were last calculated
    std::int64_t points = 0;
  };

  /// Accounts, then users.  The account of jobs in no share exists only if there are such jobs.
  std::vector<Association> associations() const {
    std::vector<Association> tree;
    for (const double shares : accounts_) tree.push_back({.shares = shares, .is_user = false});
    const std::size_t nobodys = accounts_.size();
    const bool any = std::any_of(users_.begin(), users_.end(),
                                 [&](const User& user) { return user.share == nobodys; });
    if (any) tree.push_back({.is_user = false});
    for (const User& user : users_) {
      tree[user.share].usage += user.used;
      tree.push_back({.parent = user.share, .usage = user.used});
    }
    return tree;
  }

  const MultifactorModel& model_;
  Duration decay_;
  std::vector<double> accounts_;  ///< shares of each share
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> places_;
  std::vector<User> users_;
  Instant calculated_;
  bool outdated_ = false;
};

class Multifactor final : public Algorithm {
 public:
  explicit Multifactor(const MultifactorModel& model)
      : model_{model}, fair_{model_}, max_age_s_{whole_seconds(Instant{model.max_age})} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return place_by_submission(candidate, fleet);
  }
  void step_begins(Instant now) override { now_ = now; }
  void entered(const Candidate& candidate, const FleetView& fleet) override {
    left(candidate.job);
    Row& row = described(candidate, fleet);
    row.state = State::waits;
    lines_up(row);
  }
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const FleetView&) override {}
  void left(JobId job) override {
    Row& row = row_of(job);
    const State before = std::exchange(row.state, State::nowhere);
    if (before == State::waits) steps_out(row);
    if (before != State::runs) return;
    ends_.remove(row.pool, end_of(row), row.ours);
    if (row.ours) fair_.change(row.user, now_, -std::int64_t{row.member.instances});
  }
  void has_machines(const Candidate& candidate, bool, Instant, const FleetView& fleet) override {
    if (row_of(candidate.job).state == State::runs) return;
    left(candidate.job);
    runs(described(candidate, fleet));
  }
  /// Slurm: usage is a user's in all partitions; environments know nothing of each other's.
  void others_have(const Candidate& candidate, bool one_environment, Instant now,
                   const FleetView& fleet) override {
    row_of(candidate.job).ours = one_environment;
    has_machines(candidate, true, now, fleet);
  }
  void others_left(JobId job) override { left(job); }
  void reprioritized(const Candidate& candidate, const FleetView& fleet) override {
    if (row_of(candidate.job).state == State::waits) entered(candidate, fleet);
  }
  void choose(std::span<const PoolId> changed, Turn& turn) override {
    if (turn.is_closed()) return;
    fair_.calculate(now_);
    come_of_age();
    for (const PoolId pool : changed) fill(pool, turn);
  }

 private:
  enum class State : std::uint8_t { nowhere, waits, runs };

  /// One that waits, among those of its user and its pool.
  struct Member {
    std::int64_t rank = 0;  ///< smaller is before
    Instant since;
    JobId job;
    std::uint32_t instances = 0;
    Duration lasts{0};
    friend bool operator<(const Member& a, const Member& b) {
      return std::tie(a.rank, a.since, a.job) < std::tie(b.rank, b.since, b.job);
    }
  };
  struct Shortest {
    Duration lasts = Duration::max();
    static Shortest of(const Member& member) { return {member.lasts}; }
    friend Shortest operator+(Shortest a, Shortest b) { return {std::min(a.lasts, b.lasts)}; }
  };
  /// What may be had: so many for any time, or more of them if it is over soon enough.
  struct Room {
    std::int64_t free = std::numeric_limits<std::int64_t>::max();
    std::int64_t spare = std::numeric_limits<std::int64_t>::max();
    Duration left{0};
  };
  /// Some of one user, in an order that time does not change.
  class Lane {
   public:
    bool empty() const { return by_size_.empty(); }
    const Member& front() const { return front_; }
    void insert(const Member& member) {
      if (empty() || member < front_) front_ = member;
      by_size_[member.instances].insert(member);
    }
    void erase(const Member& member) {
      const auto size = by_size_.find(member.instances);
      size->second.erase(member);
      if (size->second.empty()) by_size_.erase(size);
      if (!empty() && !(front_ < member)) front_ = *first(Room{});
    }
    const Member* first(const Room& room) const {
      const Member* best = nullptr;
      for (const auto& [size, members] : by_size_) {
        if (size > room.free) break;
        const auto is_over = [&](const Shortest& one) { return one.lasts <= room.left; };
        const Member* const next = size <= room.spare ? members.front() : members.first(is_over);
        if (next != nullptr && (best == nullptr || *next < *best)) best = next;
      }
      return best;
    }
    template <class Each>
    void for_each(const Each& each) const {
      for (const auto& size : by_size_) size.second.for_each(each);
    }

   private:
    std::map<std::uint32_t, SummaryTree<Member, Shortest>> by_size_;
    Member front_;
  };
  /// Those who gain by waiting, and those who do not any more.
  struct UserLanes {
    Lane growing;
    Lane grown;
    bool empty() const { return growing.empty() && grown.empty(); }
  };
  struct Line {
    std::map<std::uint32_t, UserLanes> by_user;  ///< users with pending jobs
    std::int64_t capacity = 0;                   ///< 0: not known yet
  };
  /// The newest attempt of a job.
  struct Row {
    Member member;
    Instant ends;  ///< of who runs, as was said
    PoolId pool;
    std::uint32_t user = 0;
    std::int32_t priority = 0;
    State state = State::nowhere;
    bool grows = false;  ///< it gains by waiting
    bool ours = true;    ///< of the environment of those who wait here
  };

  Row& row_of(JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  Row& described(const Candidate& candidate, const FleetView& fleet) {
    const JobDescription& description = fleet.description(candidate.job);
    const std::size_t pool = candidate.pool.index;
    if (pool >= lines_.size()) lines_.resize(pool + 1);
    ends_.know(candidate.pool, fleet);
    // Until its first look; then what the turn says that there is for those who wait here.
    if (lines_[pool].capacity == 0) {
      resize(candidate.pool, pool < fleet.pool_count() ? fleet.capacity(candidate.pool) : 1);
    }
    Row& row = row_of(candidate.job);
    row.member.since = candidate.since;
    row.member.job = candidate.job;
    row.member.instances = candidate.instances;
    row.member.lasts = description.expected_work;
    row.pool = candidate.pool;
    row.priority = description.priority;
    if (row.ours) row.user = fair_.known(candidate.job, fleet);
    return row;
  }
  static ExpectedEnds::End end_of(const Row& row) {
    return {row.ends, row.member.job, row.member.instances};
  }
  void runs(Row& row) {
    row.state = State::runs;
    row.ends = later(now_, row.member.lasts);
    ends_.add(row.pool, end_of(row), row.ours);
    if (row.ours) fair_.change(row.user, now_, row.member.instances);
  }

  /// What no time changes: of its size and its priority.
  std::int64_t points_of(const Row& row) const {
    const std::int64_t all = lines_[row.pool.index].capacity;
    const std::int64_t size = std::min<std::int64_t>(row.member.instances, all);
    const std::int64_t of_size = model_.favors_small ? all - size + 1 : size;
    const std::int64_t urgent = std::clamp<std::int64_t>(row.priority, 0, model_.max_priority);
    return model_.size_weight * point * of_size / all +
           model_.priority_weight * point * urgent / model_.max_priority;
  }
  /// Points are counted in parts of `max_age_s_`, so that a second of age is a whole number.
  void lines_up(Row& row) {
    const std::int64_t since = whole_seconds(row.member.since);
    const std::int64_t points = points_of(row) * max_age_s_;
    row.grows = model_.age_weight > 0 && whole_seconds(now_) - since < max_age_s_;
    row.member.rank = row.grows ? model_.age_weight * point * since - points : -points;
    UserLanes& lanes = lines_[row.pool.index].by_user[row.user];
    (row.grows ? lanes.growing : lanes.grown).insert(row.member);
    if (row.grows) growing_.insert({since, row.member.job});
  }
  void steps_out(const Row& row) {
    Line& line = lines_[row.pool.index];
    const auto lanes = line.by_user.find(row.user);
    (row.grows ? lanes->second.growing : lanes->second.grown).erase(row.member);
    if (lanes->second.empty()) line.by_user.erase(lanes);
    if (row.grows) growing_.erase({whole_seconds(row.member.since), row.member.job});
  }
  void come_of_age() {
    const std::int64_t born = whole_seconds(now_) - max_age_s_;
    while (!growing_.empty() && growing_.begin()->first <= born) {
      Row& row = rows_[growing_.begin()->second.index];
      steps_out(row);
      lines_up(row);
    }
  }
  /// The size of all who wait there is another part of it.
  void resize(PoolId pool, std::int64_t capacity) {
    Line& line = lines_[pool.index];
    if (line.capacity == std::max<std::int64_t>(capacity, 1)) return;
    line.capacity = std::max<std::int64_t>(capacity, 1);
    std::vector<JobId> waiting;
    const auto note = [&](const Member& member) { waiting.push_back(member.job); };
    for (const auto& user : line.by_user) {
      user.second.growing.for_each(note);
      user.second.grown.for_each(note);
    }
    for (const JobId job : waiting) {
      steps_out(rows_[job.index]);
      lines_up(rows_[job.index]);
    }
  }

  /// The best of those who were looked at so far.
  struct Best {
    const Member* member = nullptr;
    std::int64_t priority = 0;
    bool is_behind(const Member& other, std::int64_t priority_of_other) const {
      if (member == nullptr) return true;
      if (priority != priority_of_other) return priority < priority_of_other;
      return std::tie(other.since, other.job) < std::tie(member->since, member->job);
    }
  };
  /// `gained`: points of its user, and of its age as far as the rank does not have them.
  static void look(const Lane& lane, std::int64_t gained, const Room& room, Best& best) {
    // If the first is not better, none is.
    if (lane.empty() || !best.is_behind(lane.front(), gained - lane.front().rank)) return;
    const Member* const next = lane.first(room);
    if (next == nullptr || !best.is_behind(*next, gained - next->rank)) return;
    best = {next, gained - next->rank};
  }
  /// The first job that has room.
  std::optional<JobId> first(const Line& line, const Room& room) const {
    const std::int64_t now = model_.age_weight * point * whole_seconds(now_);
    const std::int64_t most = model_.age_weight * point * max_age_s_;
    Best best;
    for (const auto& user : line.by_user) {
      const std::int64_t served = fair_.points(user.first) * max_age_s_;
      look(user.second.growing, served + now, room, best);
      look(user.second.grown, served + most, room, best);
    }
    return best.member == nullptr ? std::nullopt : std::optional{best.member->job};
  }

  void fill(PoolId pool, Turn& turn) {
    if (pool.index >= lines_.size()) return;
    resize(pool, turn.capacity(pool));
    const Line& line = lines_[pool.index];
    while (const auto next = first(line, Room{})) {
      const std::int64_t wanted = rows_[next->index].member.instances;
      if (wanted > turn.capacity(pool)) {
        set_aside(*next, turn);
      } else if (wanted <= turn.free(pool)) {
        start(*next, turn);
      } else {
        pass(pool, wanted, turn);
        return look_again(pool, turn);
      }
    }
  }

  /// The first wants more than is free.
  void pass(PoolId pool, std::int64_t wanted, Turn& turn) {
    if (model_.passing == Passing::none || turn.free(pool) <= 0) return;
    Room room{.free = turn.free(pool)};
    if (model_.passing == Passing::easy) {
      const Promise promise = promise_of(wanted, ends_.bounds(pool, turn.headroom(pool)), now_);
      room.spare = promise.spare;
      room.left = promise.at - now_;
    }
    while (const auto next = first(lines_[pool.index], room)) {
      const Member& member = rows_[next->index].member;
      if (member.lasts > room.left) room.spare -= member.instances;
      start(*next, turn);
      room.free = turn.free(pool);
    }
  }
  /// Time alone may make another job with room the first.
  void look_again(PoolId pool, Turn& turn) const {
    if (model_.passing == Passing::any_fit || turn.free(pool) <= 0) return;
    const Duration past = now_.time_since_epoch() % model_.calc_period;
    turn.look_after(pool, model_.calc_period - past);
  }

  void start(JobId job, Turn& turn) {
    Row& row = rows_[job.index];
    steps_out(row);
    runs(row);
    turn.start(job);
  }
  void set_aside(JobId job, Turn& turn) {
    Row& row = rows_[job.index];
    steps_out(row);
    row.state = State::nowhere;
    turn.set_aside(job);
  }

  MultifactorModel model_;
  FairShares fair_;
  std::int64_t max_age_s_;
  std::vector<Row> rows_;
  std::vector<Line> lines_;  ///< by pool
  EndsOfFleet ends_;
  std::set<std::pair<std::int64_t, JobId>> growing_;  ///< by when they were submitted, in seconds
  Instant now_;
};

}  // namespace

std::unique_ptr<Algorithm> multifactor(const MultifactorModel& model) {
  return std::make_unique<Multifactor>(model);
}

}  // namespace reeve::policies

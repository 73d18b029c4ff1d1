// A scheduler so plain that it can be checked by reading: it looks at everything in each step, and
// says what the schedule of an order has to be.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace reeve::tests::oracle {

/// Instants and durations in whole units, whichever the caller means by one.  All decisions are of
/// whole numbers.
using Tick = std::int64_t;
inline constexpr Tick never = std::numeric_limits<Tick>::max();

/// Of each resource of the pool: machines alone, or GPUs and processors.
using Amounts = std::vector<std::int64_t>;

/// A gang: gets all that it needs at once, or nothing.
struct Job {
  Tick submit = 0;
  Tick work = 0;
  Amounts needs = {};
  Tick estimate = -1;         ///< of the work; below 0: exact
  std::int64_t priority = 0;  ///< larger is more urgent
  std::size_t share = 0;
  Tick checkpoint_every = 1;  ///< what is older than a whole number of these is lost when preempted
  std::int64_t max_preemptions = -1;  ///< beyond, it is not queued again; below 0: any number
  bool keeps = false;                 ///< its machines, whatever happens

  Tick estimated() const { return estimate < 0 ? work : estimate; }
};

/// When a job held what it needs, and when it was over.
struct Course {
  struct Span {
    Tick from = 0;
    Tick until = 0;
    friend bool operator==(const Span&, const Span&) = default;
  };
  std::vector<Span> held = {};
  Tick done = never;  ///< all its work
  Tick lost = 0;      ///< work that had to be done again, or was in vain

  Tick first_start() const { return held.empty() ? never : held.front().from; }
  std::size_t preemptions() const { return held.size() - (done == never ? 0 : 1); }
};

/// What is so at an instant, before the order decides.
struct State {
  const std::vector<Job>* jobs = nullptr;
  Amounts capacity = {};
  Amounts free = {};
  std::vector<std::size_t> waiting = {};  ///< in the order of their numbers
  std::vector<std::size_t> running = {};  ///< likewise
  std::vector<Tick> kept = {};            ///< work done in spans that are over
  std::vector<Tick> since = {};           ///< when it began to wait, or to run
  Tick now = 0;

  const Job& job(std::size_t number) const { return (*jobs)[number]; }
  bool runs(std::size_t number) const {
    return std::binary_search(running.begin(), running.end(), number);
  }
  Tick worked(std::size_t number) const {
    return kept[number] + (runs(number) ? now - since[number] : 0);
  }
};

inline bool fits(const Amounts& needs, const Amounts& room) {
  for (std::size_t of = 0; of < needs.size(); ++of) {
    if (needs[of] > room[of]) return false;
  }
  return true;
}
inline void add(Amounts& to, const Amounts& what, std::int64_t times) {
  for (std::size_t of = 0; of < what.size(); ++of) to[of] += times * what[of];
}

/// Who loses its machines and who gets some; those who stop do so first.
struct Moves {
  std::vector<std::size_t> stop = {};
  std::vector<std::size_t> start = {};
};

/// Who shall hold machines.
class Order {
 public:
  virtual ~Order() = default;
  /// After everything that happens at the instant.
  virtual Moves decide(const State& state) = 0;
  /// When it is to decide again although no job comes or goes.
  virtual Tick next_change(const State&) { return never; }
};

/// Smaller is first; the number of the job breaks ties.
using Place = std::array<Tick, 3>;
using Rank = std::function<Place(const State&, std::size_t job)>;

inline std::vector<std::size_t> sorted(const std::vector<std::size_t>& jobs, const State& state,
                                       const Rank& rank) {
  std::vector<std::pair<Place, std::size_t>> places;
  places.reserve(jobs.size());
  for (const std::size_t job : jobs) places.emplace_back(rank(state, job), job);
  std::sort(places.begin(), places.end());
  std::vector<std::size_t> out;
  out.reserve(jobs.size());
  for (const auto& place : places) out.push_back(place.second);
  return out;
}

/// Leads jobs from their submissions to their ends on one pool.  A job that is larger than the
/// pool never lines up.
class Replay {
 public:
  Replay(const std::vector<Job>& jobs, const Amounts& capacity)
      : jobs_{jobs}, courses_(jobs.size()) {
    state_.jobs = &jobs_;
    state_.capacity = state_.free = capacity;
    state_.kept.resize(jobs.size());
    state_.since.resize(jobs.size());
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (fits(jobs[job].needs, capacity)) to_come_.push_back(job);
    }
    std::stable_sort(to_come_.begin(), to_come_.end(), [&](std::size_t a, std::size_t b) {
      return jobs_[a].submit < jobs_[b].submit;
    });
  }

  std::vector<Course> under(Order& order) {
    while (true) {
      const Tick next = std::min(next_event(), order.next_change(state_));
      if (next == never) return courses_;
      state_.now = next;
      take_ends();
      take_submissions();
      const Moves moves = order.decide(state_);
      for (const std::size_t job : moves.stop) preempt(job);
      for (const std::size_t job : moves.start) start(job);
    }
  }

 private:
  Tick next_event() const {
    Tick next = come_ < to_come_.size() ? jobs_[to_come_[come_]].submit : never;
    for (const std::size_t job : state_.running) next = std::min(next, end_of(job));
    return next;
  }
  Tick end_of(std::size_t job) const {
    return state_.since[job] + jobs_[job].work - state_.kept[job];
  }

  void take_ends() {
    const std::vector<std::size_t> running = state_.running;
    for (const std::size_t job : running) {
      if (end_of(job) > state_.now) continue;
      leave(job);
      state_.kept[job] = jobs_[job].work;
      courses_[job].done = state_.now;
    }
  }

  void take_submissions() {
    for (; come_ < to_come_.size() && jobs_[to_come_[come_]].submit <= state_.now; ++come_) {
      wait(to_come_[come_]);
    }
  }

  void wait(std::size_t job) {
    state_.since[job] = state_.now;
    insert(state_.waiting, job);
  }

  void start(std::size_t job) {
    if (!fits(jobs_[job].needs, state_.free)) throw std::logic_error{"started without room"};
    add(state_.free, jobs_[job].needs, -1);
    erase(state_.waiting, job);
    insert(state_.running, job);
    state_.since[job] = state_.now;
  }

  void preempt(std::size_t job) {
    const Tick worked = state_.worked(job);
    const Tick every = jobs_[job].checkpoint_every;
    leave(job);
    const auto times = static_cast<std::int64_t>(courses_[job].preemptions());
    const bool again = jobs_[job].max_preemptions < 0 || times <= jobs_[job].max_preemptions;
    const Tick kept = !again || every == 0 ? 0 : worked - worked % every;
    courses_[job].lost += worked - kept;
    state_.kept[job] = kept;
    if (again) wait(job);
  }

  void leave(std::size_t job) {
    courses_[job].held.push_back({state_.since[job], state_.now});
    add(state_.free, jobs_[job].needs, 1);
    erase(state_.running, job);
  }

  static void insert(std::vector<std::size_t>& into, std::size_t job) {
    into.insert(std::lower_bound(into.begin(), into.end(), job), job);
  }
  static void erase(std::vector<std::size_t>& from, std::size_t job) {
    const auto place = std::lower_bound(from.begin(), from.end(), job);
    if (place == from.end() || *place != job) throw std::logic_error{"moved who is not there"};
    from.erase(place);
  }

  std::vector<Job> jobs_;
  std::vector<Course> courses_;
  std::vector<std::size_t> to_come_;  ///< by submission
  std::size_t come_ = 0;
  State state_;
};

inline std::vector<Course> schedule(const std::vector<Job>& jobs, const Amounts& capacity,
                                    Order& order) {
  return Replay{jobs, capacity}.under(order);
}

}  // namespace reeve::tests::oracle

// A plain oracle of the algorithm `gavel`: minute by minute, every job on every pool sorted anew.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "policies/scheduling/gavel/max_min_lp.hpp"

namespace reeve::tests::oracle {

/// On machines of several pools; times in minutes, speeds in work by minute.
struct MovingJob {
  std::int64_t submit = 0;
  std::int64_t work = 0;
  std::int64_t instances = 1;
  std::vector<std::int64_t> speeds = {};  ///< by pool; 0: it is not for it
  std::size_t asks_for = 0;               ///< a pool with a speed
  /// From its failure until it is submitted again.  Ascending.
  std::vector<std::pair<std::int64_t, std::int64_t>> absences = {};
};

/// Where each job was in each minute; none: nowhere.
using Whereabouts = std::vector<std::vector<std::optional<std::size_t>>>;

/// Nothing takes time here: who is moved is at once elsewhere, and has lost nothing.
class GavelOracle {
 public:
  GavelOracle(std::vector<MovingJob> jobs, std::vector<std::int64_t> machines, std::int64_t round,
              std::int64_t begin)
      : jobs_{std::move(jobs)},
        machines_{std::move(machines)},
        round_{round},
        begin_{begin},
        courses_(jobs_.size()),
        where_(jobs_.size()) {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      courses_[job].due.resize(machines_.size());
      courses_[job].had.resize(machines_.size());
    }
  }

  Whereabouts until(std::int64_t end) {
    for (now_ = 0; now_ < end; ++now_) minute();
    return where_;
  }

 private:
  using Kind = std::pair<std::int64_t, std::vector<std::int64_t>>;

  struct Course {
    std::int64_t done = 0;
    std::optional<std::size_t> on = {};
    bool is_there = false;
    bool lost = false;                   ///< its instances, when the round began
    std::vector<std::int64_t> due = {};  ///< millionths of minutes
    std::vector<std::int64_t> had = {};
  };
  struct Wish {
    double urgency = 0;
    std::int64_t due = 0;
    std::size_t job = 0;
    std::int64_t speed = 0;
    std::size_t pool = 0;
  };

  void minute() {
    bool changed = false;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      Course& course = courses_[job];
      if (course.is_there && course.done >= jobs_[job].work) {
        course.is_there = false;
        course.on = std::nullopt;
        changed = true;
      }
      bool comes = jobs_[job].submit == now_;
      for (const auto& [fails, returns] : jobs_[job].absences) {
        if (fails == now_ && course.is_there) {
          course.is_there = false;
          course.on = std::nullopt;
          changed = true;
          // A job that lost its instances when the round began keeps its turn.
          if (!course.lost) {
            std::erase_if(wishes_, [job](const Wish& wish) { return wish.job == job; });
          }
        }
        comes |= returns == now_ && course.done < jobs_[job].work;
      }
      if (comes) {
        course.is_there = true;
        newcomers_.push_back(job);
        changed = true;
      }
    }
    is_stale_ = is_stale_ || changed;
    const bool ends = (begin_ + now_) % round_ == 0;
    const bool begins = ends && (changed || is_awaited_);
    if (begins) begin_round();
    if (changed || begins) fill();
    for (Course& course : courses_) course.lost = course.lost && !(begins && course.on);
    if (ends) is_awaited_ = false;
    if (changed || begins) {
      is_awaited_ = is_awaited_ || somebody_could_move() || (is_stale_ && somebody_is_there());
    }
    live();
  }

  Kind kind(std::size_t job) const { return {jobs_[job].instances, jobs_[job].speeds}; }

  /// Jobs that no chain of jobs on common pools connects are of different programmes.
  void solve() {
    shares_.clear();
    std::vector<bool> is_solved(jobs_.size());
    for (std::size_t first = 0; first < jobs_.size(); ++first) {
      if (!courses_[first].is_there || is_solved[first]) continue;
      const std::vector<std::size_t> those = connected(first);
      for (const std::size_t job : those) is_solved[job] = true;
      solve(those);
    }
    is_stale_ = false;
  }

  std::vector<std::size_t> connected(std::size_t first) const {
    std::vector<std::size_t> those{first};
    for (std::size_t next = 0; next < those.size(); ++next) {
      for (std::size_t job = 0; job < jobs_.size(); ++job) {
        if (!courses_[job].is_there) continue;
        if (std::find(those.begin(), those.end(), job) != those.end()) continue;
        for (std::size_t pool = 0; pool < machines_.size(); ++pool) {
          if (jobs_[job].speeds[pool] == 0 || jobs_[those[next]].speeds[pool] == 0) continue;
          those.push_back(job);
          break;
        }
      }
    }
    return those;
  }

  void solve(const std::vector<std::size_t>& those) {
    std::vector<policies::TimeClaim> claims;
    std::vector<std::size_t> pools;  // that any of those is for
    for (std::size_t pool = 0; pool < machines_.size(); ++pool) {
      const bool is_of_them = std::any_of(
          those.begin(), those.end(), [&](std::size_t job) { return jobs_[job].speeds[pool] > 0; });
      if (is_of_them) pools.push_back(pool);
    }
    std::vector<double> capacity;
    for (const std::size_t pool : pools) capacity.push_back(static_cast<double>(machines_[pool]));
    for (const std::size_t job : those) {
      policies::TimeClaim claim;
      claim.instances = static_cast<double>(jobs_[job].instances);
      for (const std::size_t pool : pools) {
        claim.speeds.push_back(static_cast<double>(jobs_[job].speeds[pool]) * 1e6);
      }
      claims.push_back(claim);
    }
    const policies::TimeShares answer = policies::max_min_time(claims, capacity);
    for (std::size_t claim = 0; claim < claims.size(); ++claim) {
      std::vector<std::int64_t>& share = shares_[kind(those[claim])];
      share.assign(machines_.size(), 0);
      for (std::size_t column = 0; column < pools.size(); ++column) {
        share[pools[column]] = std::llround(answer.fractions[claim][column] * 1e6);
      }
    }
  }

  std::int64_t share(std::size_t job, std::size_t pool) const {
    const auto known = shares_.find(kind(job));
    return known == shares_.end() ? 0 : known->second[pool];
  }

  std::vector<Wish> wishes_of(std::size_t job) const {
    std::vector<Wish> all;
    for (std::size_t pool = 0; pool < machines_.size(); ++pool) {
      if (jobs_[job].speeds[pool] == 0) continue;
      const std::int64_t now = share(job, pool);
      const std::int64_t due = now > 0 ? courses_[job].due[pool] + now * round_ : 0;
      const std::int64_t had = courses_[job].had[pool];
      double urgency = 0;
      if (due > 0 && had == 0) urgency = std::numeric_limits<double>::max();
      if (due > 0 && had > 0) urgency = static_cast<double>(due) / static_cast<double>(had);
      all.push_back({urgency, due, job, jobs_[job].speeds[pool], pool});
    }
    sort(all);
    return all;
  }

  void sort(std::vector<Wish>& all) const {
    std::sort(all.begin(), all.end(), [this](const Wish& a, const Wish& b) {
      if (a.urgency != b.urgency) return a.urgency > b.urgency;
      if (a.due != b.due) return a.due > b.due;
      if (jobs_[a.job].submit != jobs_[b.job].submit) {
        return jobs_[a.job].submit < jobs_[b.job].submit;
      }
      if (a.job != b.job) return a.job < b.job;
      if (a.speed != b.speed) return a.speed > b.speed;
      return a.pool < b.pool;
    });
  }

  void begin_round() {
    if (is_stale_) solve();
    wishes_.clear();
    newcomers_.clear();
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      courses_[job].lost = courses_[job].on.has_value();
      if (!courses_[job].is_there) continue;
      courses_[job].on = std::nullopt;
      for (const Wish& wish : wishes_of(job)) wishes_.push_back(wish);
    }
    sort(wishes_);
  }

  void fill() {
    for (const Wish& wish : wishes_) take(wish);
    for (const std::size_t job : newcomers_) {
      for (const Wish& wish : wishes_of(job)) take(wish);
    }
  }

  void take(const Wish& wish) {
    Course& course = courses_[wish.job];
    if (!course.is_there || course.on) return;
    std::int64_t room = machines_[wish.pool];
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (courses_[job].on == wish.pool) room -= jobs_[job].instances;
    }
    if (jobs_[wish.job].instances <= room) course.on = wish.pool;
  }

  bool somebody_could_move() const {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (!courses_[job].is_there) continue;
      const auto pools = std::count_if(jobs_[job].speeds.begin(), jobs_[job].speeds.end(),
                                       [](std::int64_t speed) { return speed > 0; });
      if (pools > 1 || !courses_[job].on) return true;
    }
    return false;
  }

  bool somebody_is_there() const {
    return std::any_of(courses_.begin(), courses_.end(),
                       [](const Course& course) { return course.is_there; });
  }

  void live() {
    std::set<Kind> kinds;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (courses_[job].is_there) kinds.insert(kind(job));
    }
    std::erase_if(shares_, [&](const auto& each) { return !kinds.contains(each.first); });
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      Course& course = courses_[job];
      where_[job].push_back(course.on);
      if (!course.is_there) continue;
      for (std::size_t pool = 0; pool < machines_.size(); ++pool) {
        course.due[pool] += share(job, pool);
      }
      if (!course.on) continue;
      ++course.had[*course.on];
      course.done += jobs_[job].speeds[*course.on];
    }
  }

  std::vector<MovingJob> jobs_;
  std::vector<std::int64_t> machines_;
  std::int64_t round_;
  std::int64_t begin_;  ///< minutes of the clock at minute 0
  std::int64_t now_ = 0;
  std::vector<Course> courses_;
  Whereabouts where_;
  std::map<Kind, std::vector<std::int64_t>> shares_;
  std::vector<Wish> wishes_;
  std::vector<std::size_t> newcomers_;
  bool is_stale_ = true;
  bool is_awaited_ = false;  ///< the next round: somebody who could move was there in this one
};

}  // namespace reeve::tests::oracle

#include "kueue_targets.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace reeve::policies {

using namespace policy;

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// Whether a job may preempt this one of its share, of those that stand before `own_end`.
bool may_go_for(const Wish& wish, const Target& own) {
  return own.priority < wish.priority || own.submitted > wish.submitted;
}

/// Candidates of its own share have lower priorities than that.
std::int64_t own_end(const KueueModel& model, const Wish& wish) {
  if (model.within == WithinShare::none) return std::numeric_limits<std::int64_t>::min();
  return wish.priority + (model.within == WithinShare::lower_or_newer ? 1 : 0);
}

/// Candidates of other shares have lower priorities than that.
std::int64_t reclaimed_below(const KueueModel& model, const Wish& wish) {
  if (model.reclaim == Reclaim::none) return std::numeric_limits<std::int64_t>::min();
  return model.reclaim == Reclaim::any ? no_limit : wish.priority;
}

/// Takes targets one after the other until the job fits, then spares superfluous ones, the last
/// chosen first.  At its end all jobs have their instances again.
class Search {
 public:
  Search(Cohort& cohort, const Wish& wish, bool may_borrow)
      : cohort_{cohort}, wish_{wish}, may_borrow_{may_borrow} {}
  ~Search() {
    for (const Target& target : taken_) cohort_.take(target.share, target.instances);
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const Cohort& cohort() const { return cohort_; }
  /// Whether the job fits now.
  bool take(const Target& target) {
    cohort_.give_back(target.share, target.instances);
    taken_.push_back(target);
    return fits();
  }
  /// Kueue, "Preemption", Targets: "minimize the set of targets".  Without the last it did not fit.
  std::vector<Target> spared() {
    for (std::size_t place = taken_.size() - 1; place-- > 0;) {
      const Target target = taken_[place];
      cohort_.take(target.share, target.instances);
      if (fits()) {
        taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(place));
      } else {
        cohort_.give_back(target.share, target.instances);
      }
    }
    return taken_;
  }

 private:
  bool fits() const {
    return may_borrow_ ? cohort_.fits(wish_.share, wish_.instances)
                       : cohort_.fits_within_nominal(wish_.share, wish_.instances);
  }

  Cohort& cohort_;
  const Wish& wish_;
  bool may_borrow_;
  std::vector<Target> taken_;
};

/// Those of shares that borrow, in one order.
class Borrowers {
 public:
  Borrowers(const Cohort& cohort, const Wish& wish, const Targets& all, std::int64_t below)
      : below_{below} {
    for (const std::size_t share : cohort.borrowers()) {
      if (share == wish.share) continue;
      if (all[share].empty() || all[share].begin()->priority >= below) continue;
      lines_.push_back({all[share].begin(), all[share].end()});
    }
  }
  bool empty() const { return lines_.empty(); }
  const Target* next() {
    Line* first = nullptr;
    for (Line& line : lines_) {
      if (line.at == line.end || line.at->priority >= below_) continue;
      if (first == nullptr || *line.at < *first->at) first = &line;
    }
    return first == nullptr ? nullptr : &*first->at++;
  }

 private:
  struct Line {
    TargetLine::Place at, end;
  };
  std::int64_t below_;
  std::vector<Line> lines_ = {};
};

/// Where the priorities of candidates end: of its own share, and of others.
struct FairEnds {
  std::int64_t own = 0;
  std::int64_t others = 0;
};

/// Whether all candidates together have what is wanted, and those of its own share `of_own`.  A
/// look at as many as are wanted at most, so that a job that waits for long costs little.
bool can_succeed(const Cohort& cohort, const Wish& wish, const Targets& all, std::int64_t of_own,
                 FairEnds ends) {
  std::int64_t lacks = wish.instances - cohort.room(wish.share);
  for (const Target& own : all[wish.share]) {
    if ((of_own <= 0 && lacks <= 0) || own.priority >= ends.own) break;
    if (!may_go_for(wish, own)) continue;
    of_own -= own.instances;
    lacks -= own.instances;
  }
  if (of_own > 0) return false;
  for (const std::size_t share : cohort.borrowers()) {
    if (lacks <= 0) break;
    if (share == wish.share) continue;
    for (const Target& other : all[share]) {
      if (lacks <= 0 || other.priority >= ends.others) break;
      lacks -= other.instances;
    }
  }
  return lacks <= 0;
}

/// Classic preemption.  Who would be within its quota takes from borrowers.  Who would borrow may
/// preempt its own; borrowers only up to its quota, or if `borrow_within` says so.
class Classic {
 public:
  Classic(const KueueModel& model, Cohort& cohort, const Wish& wish, const Targets& all)
      : model_{model}, cohort_{cohort}, wish_{wish}, all_{all}, own_end_{own_end(model, wish)} {}

  std::vector<Target> found() const {
    const std::int64_t below = reclaimed_below(model_, wish_);
    if (!cohort_.borrows(wish_.share, wish_.instances)) return attempt(true, below);
    const bool below_nominal = cohort_.used(wish_.share) < cohort_.terms(wish_.share).nominal;
    if (!model_.borrow_within && !below_nominal) return attempt(true, none);
    // The order of the two is Kueue's.  Whether anybody borrows is looked at when it matters.
    const auto nobody_borrows = [&] { return Borrowers{cohort_, wish_, all_, below}.empty(); };
    if (!model_.borrow_within) {
      std::vector<Target> within = attempt(false, below);
      return within.empty() || nobody_borrows() ? attempt(true, none) : within;
    }
    if (nobody_borrows()) return attempt(true, none);
    const std::int64_t low = std::min({below, wish_.priority, model_.max_priority + 1});
    std::vector<Target> borrowing = attempt(true, low);
    return borrowing.empty() ? attempt(false, below) : borrowing;
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

  /// Candidates of others go first, as long as their share borrows; then those of its own share.
  std::vector<Target> attempt(bool may_borrow, std::int64_t below) const {
    const std::int64_t over = cohort_.used(wish_.share) - cohort_.terms(wish_.share).nominal;
    const std::int64_t of_own = may_borrow ? 0 : over + wish_.instances;
    if (!can_succeed(cohort_, wish_, all_, of_own, {own_end_, below})) return {};
    Search search{cohort_, wish_, may_borrow};
    Borrowers others{cohort_, wish_, all_, below};
    while (const Target* const other = others.next()) {
      if (!search.cohort().borrows(other->share)) continue;
      if (search.take(*other)) return search.spared();
    }
    for (const Target& own : all_[wish_.share]) {
      if (own.priority >= own_end_) break;
      if (may_go_for(wish_, own) && search.take(own)) return search.spared();
    }
    return {};
  }

  const KueueModel& model_;
  Cohort& cohort_;
  const Wish& wish_;
  const Targets& all_;
  std::int64_t own_end_;
};

/// Fair sharing: the share with the highest value gives first.
class FairSearch {
 public:
  FairSearch(const KueueModel& model, Cohort& cohort, const Wish& wish, const Targets& all)
      : model_{model}, wish_{wish}, search_{cohort, wish, true} {
    lines_.reserve(cohort.borrowers().size() + 1);
    Line own = line_of(wish.share, all[wish.share], own_end(model, wish));
    skip(own);
    own.value = wanted();
    const bool may_change = own.front() != nullptr || is_within_nominal();
    if (own.front() != nullptr) lines_.push_back(own);
    const std::int64_t below = reclaimed_below(model, wish);
    for (const std::size_t share : cohort.borrowers()) {
      if (share == wish.share) continue;
      Line line = line_of(share, all[share], below);
      if (line.front() == nullptr) continue;
      line.value = cohort.value(share);
      // What is wanted stays what it is: who cannot go now never can.
      if (!may_change && !passes(line, all[share].smallest(), own.value)) line.spare_all();
      if (may_change || line.front() != nullptr || own.value < line.value) lines_.push_back(line);
    }
  }

  std::vector<Target> found() {
    while (Line* const line = highest(&Line::front)) {
      const bool any = line->own || is_within_nominal();
      // Shares with a lower value cannot qualify either, by any strategy; the own share is done.
      if (!any && line->value < wanted()) break;
      if (any ? take_first(*line) : take_one(*line)) return search_.spared();
    }
    if (model_.strategies.size() < 2) return {};
    while (Line* const line = highest(&Line::first_again)) {
      if (!(wanted() < line->value)) return {};  // nor can those that have less
      const Target target = *std::exchange(line->again, std::nullopt);
      if (take(*line, target)) return search_.spared();
    }
    return {};
  }

 private:
  /// A share with candidates that were not looked at yet.
  struct Line {
    std::size_t share = 0;
    bool own = false;
    TargetLine::Place at = {}, end = {};
    std::int64_t below = 0;
    Part value = {};                             ///< its own: with what is wanted
    std::optional<Target> again = std::nullopt;  ///< the first that the first strategy spared
    const Target* front() const { return at == end || at->priority >= below ? nullptr : &*at; }
    const Target* first_again() const { return again ? &*again : nullptr; }
    void spare_all() {
      if (!again && front() != nullptr) again = *front();
      at = end;
    }
  };

  Part wanted() const { return search_.cohort().value(wish_.share, wish_.instances); }
  bool is_within_nominal() const { return !search_.cohort().borrows(wish_.share, wish_.instances); }
  Line line_of(std::size_t share, const TargetLine& of, std::int64_t below) const {
    Line line;
    line.share = share;
    line.own = share == wish_.share;
    line.at = of.begin();
    line.end = of.end();
    line.below = below;
    return line;
  }
  /// To the next that its own share lets go.
  void skip(Line& own) const {
    while (own.front() != nullptr && !may_go_for(wish_, *own.front())) ++own.at;
  }

  /// Of shares with candidates that borrow, and its own, that with the highest value; among equals
  /// others before its own, then by their first candidates.
  Line* highest(const Target* (Line::*first)() const) {
    Line* best = nullptr;
    for (Line& line : lines_) {
      const Target* const candidate = (line.*first)();
      if (candidate == nullptr) continue;
      if (!line.own && !search_.cohort().borrows(line.share)) continue;
      if (best == nullptr || best->value < line.value) {
        best = &line;
      } else if (!(line.value < best->value)) {
        if (best->own || (!line.own && *candidate < *(best->*first)())) best = &line;
      }
    }
    return best;
  }

  bool take(Line& line, const Target& target) {
    const bool fits = search_.take(target);
    line.value = line.own ? wanted() : search_.cohort().value(line.share);
    return fits;
  }
  bool take_first(Line& line) {
    const Target& target = *line.at++;
    if (line.own) skip(line);
    return take(line, target);
  }

  /// Whether the first strategy lets one of so many instances go.
  bool passes(const Line& line, std::int64_t instances, const Part& wanted) const {
    if (model_.strategies.front() == FairStrategy::initial_share) return wanted < line.value;
    return !(search_.cohort().value(line.share, -instances) < wanted);
  }

  /// The first of the share that the first strategy lets go.  Of those before it the second
  /// strategy takes one at most, the first.
  bool take_one(Line& line) {
    const Part value = wanted();
    while (const Target* const target = line.front()) {
      if (passes(line, target->instances, value)) return take_first(line);
      if (!line.again) line.again = *target;
      ++line.at;
    }
    return false;
  }

  const KueueModel& model_;
  const Wish& wish_;
  Search search_;
  std::vector<Line> lines_ = {};
};

}  // namespace

bool may_preempt(const KueueModel& model, const Cohort& cohort, const Wish& wish) {
  if (wish.instances > cohort.potential(wish.share)) return false;
  const bool may_borrow = model.fair ? model.reclaim != Reclaim::none : model.borrow_within;
  return may_borrow || wish.instances <= cohort.terms(wish.share).nominal;
}

std::vector<Target> targets_of(const KueueModel& model, Cohort& cohort, const Wish& wish,
                               const Targets& all) {
  if (!may_preempt(model, cohort, wish)) return {};
  if (!model.fair) return Classic{model, cohort, wish, all}.found();
  const FairEnds ends{own_end(model, wish), reclaimed_below(model, wish)};
  if (!can_succeed(cohort, wish, all, 0, ends)) return {};
  return FairSearch{model, cohort, wish, all}.found();
}

}  // namespace reeve::policies

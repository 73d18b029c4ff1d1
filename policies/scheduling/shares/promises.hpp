// Instances of one pool that jobs will get when others have left, in the order of the promises.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/units.hpp>
#include <set>

namespace reeve::policies {

/// Instances of jobs that leave for a promise are for no other job meanwhile; free instances beyond
/// them go to the first promise that they complete.  O(log promises) for each change; if free
/// instances are for no promise, O(sizes of what promises lack).
class Promises {
 public:
  bool empty() const { return open_.empty(); }
  /// Instances of all that are open.
  std::int64_t sum() const { return sum_; }

  /// The number by which those who leave for it know it; above 0.
  std::uint32_t make(policy::JobId job, std::int64_t instances) {
    sum_ += instances;
    remember(*open_.emplace(++made_, Promise{job, instances}).first);
    complete_.insert(made_);  // until a job is to leave for it
    return made_;
  }
  /// A job with this many instances leaves for it.
  void will_come(std::uint32_t number, std::int64_t instances) { add(number, instances); }
  /// A job that left for it has left.  Returns the promise that got its instances.
  std::uint32_t has_come(std::uint32_t number, std::int64_t instances) {
    for (auto moved = moved_.find(number); moved != moved_.end(); moved = moved_.find(number)) {
      number = moved->second.to;
      moved->second.held -= instances;
      if (moved->second.held <= 0) moved_.erase(moved);
    }
    add(number, -instances);
    return number;
  }
  /// The part of it that no job has to leave for any more.
  std::int64_t come() const { return come_; }
  /// The same of one that is open.
  std::int64_t come(std::uint32_t number) const { return open_.at(number).come(); }
  /// It is off; whose it was, if it was open still.
  std::optional<policy::JobId> revoke(std::uint32_t number) {
    const auto found = open_.find(number);
    if (found == open_.end()) return std::nullopt;
    const policy::JobId job = found->second.job;
    close(found);
    return job;
  }
  /// Ends it in favor of another promise: jobs that leave for it now leave for that one, as far as
  /// that one needs them; the first to leave count.
  void hand_over(std::uint32_t number, std::uint32_t to) {
    const auto found = open_.find(number);
    const std::int64_t held = found->second.outstanding;
    const std::int64_t brought = found->second.brought;
    close(found);
    Open::iterator heir_at = open_.find(to);
    forget(*heir_at);
    heir_at->second.brought += brought;
    remember(*heir_at);
    if (held <= 0) return;
    moved_[number] = {to, held};
    const Promise& heir = heir_at->second;
    add(to, std::min(held, std::max<std::int64_t>(heir.instances - heir.outstanding, 0)));
  }
  /// Of those that are open.
  std::uint32_t newest() const { return open_.rbegin()->first; }

  /// Calls `start` with each that `may` and that the free instances suffice for.  Beyond what left
  /// for it, a promise gets neither what left for others nor what is `reserved` from its job.
  template <class May, class Reserved, class Start>
  void deliver(std::int64_t free, const May& may, const Reserved& reserved, const Start& start) {
    for (auto number = complete_.begin(); number != complete_.end();) {
      const auto each = open_.find(*number++);
      const Promise& promise = each->second;
      const std::int64_t more = promise.instances - promise.own();
      if (promise.instances > free || !may(promise.job)) continue;
      if (more > 0 && more > free - own_ - reserved(promise.job)) continue;
      free -= promise.instances;
      start(close(each));
    }
    const auto fits = [&](const Promise& promise) {
      return promise.lacks() <= free - come_ - reserved(promise.job) && may(promise.job);
    };
    while (const auto first = first_that_lacks_at_most(free - come_, fits)) {
      const auto each = open_.find(*first);
      free -= each->second.instances;
      start(close(each));
    }
  }

 private:
  struct Promise {
    policy::JobId job;
    std::int64_t instances = 0;
    std::int64_t outstanding = 0;  ///< held by those who leave for it
    std::int64_t brought = 0;      ///< by those who left for it

    /// Of those that it wants.
    std::int64_t come() const { return std::max<std::int64_t>(instances - outstanding, 0); }
    std::int64_t lacks() const { return instances - come(); }
    std::int64_t own() const { return std::min(brought, instances); }
  };
  using Open = std::map<std::uint32_t, Promise>;

  void remember(const Open::value_type& promise) {
    come_ += promise.second.come();
    own_ += promise.second.own();
    by_lack_[promise.second.lacks()].insert(promise.first);
  }
  void forget(const Open::value_type& promise) {
    come_ -= promise.second.come();
    own_ -= promise.second.own();
    const auto alike = by_lack_.find(promise.second.lacks());
    alike->second.erase(promise.first);
    if (alike->second.empty()) by_lack_.erase(alike);
  }
  template <class Fits>
  std::optional<std::uint32_t> first_that_lacks_at_most(std::int64_t instances,
                                                        const Fits& fits) const {
    std::optional<std::uint32_t> first;
    if (instances <= 0) return first;
    for (const auto& [lacks, numbers] : by_lack_) {
      if (lacks > instances) break;
      for (const std::uint32_t number : numbers) {
        if (first && *first < number) break;
        if (!fits(open_.at(number))) continue;
        first = number;
        break;
      }
    }
    return first;
  }

  void add(std::uint32_t number, std::int64_t instances) {
    const auto found = open_.find(number);
    if (found == open_.end()) return;
    Promise& promise = found->second;
    forget(*found);
    promise.brought += std::max<std::int64_t>(-instances, 0);
    // Of what was handed over more may come than was counted on.
    promise.outstanding = std::max<std::int64_t>(promise.outstanding + instances, 0);
    remember(*found);
    if (promise.outstanding > 0) complete_.erase(number);
    if (promise.outstanding == 0) complete_.insert(number);
  }
  policy::JobId close(Open::iterator promise) {
    const policy::JobId job = promise->second.job;
    sum_ -= promise->second.instances;
    forget(*promise);
    complete_.erase(promise->first);
    open_.erase(promise);
    return job;
  }

  /// One that was handed over while others left for it.
  struct Moved {
    std::uint32_t to = 0;
    std::int64_t held = 0;  ///< of what was counted on, by those who have not left
  };

  Open open_;                             ///< by number
  std::map<std::uint32_t, Moved> moved_;  ///< by its number
  std::set<std::uint32_t> complete_;      ///< no job has to leave for them any more
  std::map<std::int64_t, std::set<std::uint32_t>> by_lack_;  ///< of what others have still
  std::int64_t sum_ = 0;
  std::int64_t come_ = 0;  ///< the sum of what has come for each
  std::int64_t own_ = 0;   ///< the sum of what those brought who left
  std::uint32_t made_ = 0;
};

}  // namespace reeve::policies

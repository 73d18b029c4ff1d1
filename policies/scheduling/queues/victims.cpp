#include "victims.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace reeve::policies {

using namespace policy;

std::optional<VictimOrder> VictimOrder::of(std::string_view names) {
  static constexpr std::array<std::string_view, keys_at_most> known{
      "lowest_priority", "latest_start", "earliest_start", "fewest_instances", "most_instances"};
  VictimOrder order;
  bool first = true;
  while (true) {
    const std::size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    if (!(std::exchange(first, false) && name == "borrowed")) {
      const auto* const place = std::find(known.begin(), known.end(), name);
      if (place == known.end()) return std::nullopt;
      const auto key = static_cast<Key>(place - known.begin());
      const auto same = std::find(order.keys_.begin(), order.keys_.end(), key);
      if (same != order.keys_.end()) return std::nullopt;
      order.keys_.push_back(key);
    }
    if (comma == std::string_view::npos) return order;
    names.remove_prefix(comma + 1);
  }
}

VictimOrder::Rank VictimOrder::rank(const Victim& victim) const {
  Rank rank{};
  const std::int64_t since = victim.since.time_since_epoch().count();
  for (std::size_t place = 0; place < keys_.size(); ++place) {
    switch (keys_[place]) {
      case Key::lowest_priority:
        rank[place] = victim.priority;
        break;
      case Key::latest_start:
        rank[place] = -since;
        break;
      case Key::earliest_start:
        rank[place] = since;
        break;
      case Key::fewest_instances:
        rank[place] = victim.instances;
        break;
      case Key::most_instances:
        rank[place] = -victim.instances;
        break;
    }
  }
  return rank;
}

void Victims::add(const VictimOrder& order, const Victim& victim) {
  Tier& tier = tiers_[victim.priority];
  tier.entries.insert({order.rank(victim), victim.instances, victim.job});
  tier.instances += victim.instances;
  instances_ += victim.instances;
}

void Victims::remove(const VictimOrder& order, const Victim& victim) {
  const auto tier = tiers_.find(victim.priority);
  tier->second.entries.erase({order.rank(victim), victim.instances, victim.job});
  tier->second.instances -= victim.instances;
  instances_ -= victim.instances;
  if (tier->second.entries.empty()) tiers_.erase(tier);
}

std::optional<Preference> Victims::best(const VictimOrder& order, std::int64_t enough,
                                        std::int64_t below) const {
  std::optional<Preference> best;
  for (const auto& [priority, tier] : tiers_) {
    if (priority >= below) break;
    const Preference of_tier = best_of(tier, enough);
    if (!best || of_tier < *best) best = of_tier;
    if (order.priority_first()) break;
  }
  return best;
}

std::int64_t Victims::instances(std::int64_t below) const {
  std::int64_t sum = 0;
  for (const auto& [priority, tier] : tiers_) {
    if (priority >= below) break;
    sum += tier.instances;
  }
  return sum;
}

Preference Victims::best_of(const Tier& tier, std::int64_t enough) {
  const VictimOrder::Rank& rank = tier.entries.begin()->rank;
  const auto fits = tier.entries.lower_bound({rank, enough, {}});
  if (fits != tier.entries.end() && fits->rank == rank) {
    return {rank, false, fits->instances, fits->job};
  }
  const std::int64_t largest = std::prev(fits)->instances;
  const auto first = tier.entries.lower_bound({rank, largest, {}});
  return {rank, true, -largest, first->job};
}

}  // namespace reeve::policies

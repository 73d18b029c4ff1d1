#include "scenarios/exchange/written_places.hpp"

namespace reeve::scenarios {

Node WrittenPlaces::place(std::string_view section, std::optional<std::size_t> index,
                          std::string_view key) const {
  const auto list = document_.root().find(section);
  if (!list) return document_.root();
  if (!index || !list->is_array() || *index >= list->size()) return *list;
  const Node one = (*list)[*index];
  return one.find(key).value_or(one);
}

Node WrittenPlaces::share_place(std::string_view name, std::string_view key) const {
  const Node list = place("shares");
  if (!list.is_array()) return list;
  for (const Node share : list.as_array()) {
    const auto called = share.find("name");
    if (called && called->is_text() && called->as_text() == name) {
      return share.find(key).value_or(share);
    }
  }
  return list;
}

Node WrittenPlaces::policy_place() const {
  const Node policies = place("policies");
  return policies.find(policy_.name).value_or(policies);
}

Node WrittenPlaces::seat_place(const SeatSpec& seat, std::string_view key) const {
  const Node rules = policy_place();
  const auto index = static_cast<std::size_t>(&seat - policy_.seats.data());
  if (!rules.is_array()) return rules;
  if (index >= rules.size()) return place("alerts", index - rules.size(), key);
  return rules[index].find(key).value_or(rules[index]);
}

}  // namespace reeve::scenarios

#include "host/seat.hpp"

#include <algorithm>

namespace reeve::host {

TagPattern::TagPattern(std::string_view text) {
  const std::size_t equals = text.find('=');
  key_ = text.substr(0, equals);
  if (equals != std::string_view::npos) value_ = text.substr(equals + 1);
}

bool TagPattern::matches(const policy::Directory& directory, policy::TagSetId tags) const {
  const auto value = directory.tag(tags, key_);
  return value && (!value_ || *value == *value_);
}

std::optional<bool> Scope::holds(const std::optional<Whereabouts>& attempt,
                                 const policy::Directory& directory) const {
  if (is_all()) return true;
  if (!attempt) return std::nullopt;
  const bool has_tag =
      tags_.empty() || std::any_of(tags_.begin(), tags_.end(), [&](const TagPattern& tag) {
        return tag.matches(directory, attempt->tags);
      });
  const bool is_there =
      fleets_.empty() || std::find(fleets_.begin(), fleets_.end(), attempt->pool) != fleets_.end();
  if (has_tag && !is_there && attempt->awaits_placement) return std::nullopt;
  return has_tag && is_there;
}

}  // namespace reeve::host

// The user of a job whose source names none, from its tags.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// The value of the first of these keys that the tags have: owner, Owner, user, User,
/// aws:createdBy.  Empty without one.
std::string owner_of(std::span<const std::pair<std::string, std::string>> tags);

/// Gives a job without a user that of its tags.  Whether they name one.
bool name_owner(ImportedJob& job);

}  // namespace reeve::scenarios

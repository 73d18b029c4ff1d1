// In words, what the verdict on a condition rests on.
#pragma once

#include <string>

#include "truth.hpp"

namespace reeve::policies {

/// The tests that decide it, each with what its field is:
/// "all of: status == Training (it was Training), training_time >= 1h (it was 1h8m20s)".
std::string grounds(const policy::Condition& condition, const Subject& subject);

}  // namespace reeve::policies

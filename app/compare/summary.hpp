// What a study comes to, as data: manifest.json has it, and the report page shows it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "app/study/study.hpp"

namespace reeve::app {

/// The sentence, assumptions, and for each policy its measures and its differences against the
/// baseline, with 95 % intervals where there are any.  None: the first policy is the baseline.
/// Dollars and seconds are plain numbers.
nlohmann::ordered_json summary_of(const Study& study, std::optional<std::size_t> baseline);

}  // namespace reeve::app

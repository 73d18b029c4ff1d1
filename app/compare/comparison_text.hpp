// What a comparison says in sentences: which policy is best, by how much, and what else to know.
#pragma once

#include <string>
#include <vector>

#include "app/study/study.hpp"

namespace reeve::app {

/// "alarm+resume saves $16,967.87 of $17,280.00 and finishes 70h41m58s sooner than none."
std::string closing_sentence(const Study& study, const PolicyNumbers& base,
                             const PolicyNumbers& best);

/// What stands below the table, one line each.
std::vector<std::string> comparison_notes(const Study& study);

}  // namespace reeve::app

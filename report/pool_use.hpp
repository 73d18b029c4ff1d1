// The use of pools over time, once per pool and instant.
#pragma once

#include <cstddef>
#include <vector>

#include "models/record.hpp"

namespace reeve::report {

/// By row of Record::utilization: whether a later row of the same pool and instant replaces it.
std::vector<bool> replaced_pool_rows(const models::Record& record, std::size_t pools);

}  // namespace reeve::report

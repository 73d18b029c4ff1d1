// What the headers of printed tables mean, for `reeve explain`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/explain/key.hpp"

namespace reeve::app {

/// A column of a table that a command prints.
struct Header {
  std::string_view command;  ///< "compare", "explain --at"
  std::string_view title;
  std::string_view metric;  ///< what the column shows: `mean_wait_s`, `share.NAME.preemptions`
  std::string_view text;    ///< what it shows if that is no metric
};

/// Every header of every table, but those that the user names (`--by tier`).
std::vector<Header> headers();

/// The header with that title, or that key in JSON.  None if no table has it.
std::optional<KeyHelp> explain_header(std::string_view title);

}  // namespace reeve::app

// The columns of the canonical job trace.
#pragma once

#include <span>
#include <string_view>

namespace reeve::scenarios {

/// A column of the canonical record; docs/reference/tables.md has the same table.
struct TraceColumn {
  std::string_view name;
  std::string_view unit;
  bool required = false;  ///< the header must name it, and no cell of it may be empty
  std::string_view meaning;
};
/// In their order.
std::span<const TraceColumn> trace_columns();

}  // namespace reeve::scenarios

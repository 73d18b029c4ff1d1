// The type of a scenario key in words, for `reeve explain` and for the reference page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenarios/text/shape.hpp"

namespace reeve::app {

/// How a text writes what a type names.
struct ShapeStyle {
  std::function<std::string(const scenarios::ObjectShape&)> object;
  std::function<std::string(const std::string&)> literal;  ///< of JSON: `true`, `"fifo"`
  std::string rule_options;                                ///< the options of any rule
};

/// "duration, at least 1s", "list of: whole number, 0 to 100".
std::string shape_text(const scenarios::Shape& shape, const ShapeStyle& style);

/// Every object that can be where the shape is.
std::vector<const scenarios::ObjectShape*> objects_in(const scenarios::Shape& shape);

/// Whether the shape is the options of any rule; these have pages of their own.
bool holds_rule_options(const scenarios::Shape& shape);

}  // namespace reeve::app

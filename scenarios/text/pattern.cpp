#include "scenarios/text/pattern.hpp"

#include <re2/re2.h>

#include <memory>

namespace reeve::scenarios {

std::optional<policy::Pattern> compile_pattern(const std::string& text, std::string& problem) {
  RE2::Options options;
  options.set_log_errors(false);
  const auto compiled = std::make_shared<const RE2>(text, options);
  if (!compiled->ok()) {
    problem = compiled->error();
    return std::nullopt;
  }
  return policy::Pattern{[compiled](std::string_view whole) {
    const re2::StringPiece piece{whole.data(), whole.size()};
    return RE2::FullMatch(piece, *compiled);
  }};
}

}  // namespace reeve::scenarios

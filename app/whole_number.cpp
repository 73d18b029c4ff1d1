#include "app/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "scenarios/diagnostic.hpp"

namespace reeve::app {

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  const auto check = [min, max](std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < min || value > max) {
      return fmt::format("{} is not a whole number from {} to {}", scenarios::in_quotes(text), min,
                         max);
    }
    text = std::to_string(value);
    return {};
  };
  return {check, ""};
}

}  // namespace reeve::app

#include "app/files/forecast_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <reeve/policy/training_job_name.hpp>

#include "app/usage_error.hpp"

namespace reeve::app {

std::string forecast_file_text(std::string_view of, std::string_view text) {
  return fmt::format("{}{}, checksum {}\n{}", forecast_mark, of, policy::short_hash(text), text);
}

void check_forecast_file(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  const std::string all{std::istreambuf_iterator<char>{in}, {}};
  if (all.empty()) return;
  const std::size_t line = std::min(all.find('\n'), all.size() - 1);
  const std::string checksum = policy::short_hash(std::string_view{all}.substr(line + 1));
  if (all.starts_with(forecast_mark) &&
      std::string_view{all}.substr(0, line).ends_with(", checksum " + checksum)) {
    return;
  }
  throw UsageError{file.generic_string() + " differs from what reeve fit wrote",
                   "give it another name, or remove it"};
}

}  // namespace reeve::app

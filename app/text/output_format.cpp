#include "app/text/output_format.hpp"

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/usage_error.hpp"

namespace reeve::app {

void add_format_option(Command& command, std::string& format) {
  command.option("--format", &format,
                 "Output format. --json is the same as --format json; github: workflow commands",
                 {.one_of = {"text", "json", "github", "sarif", "junit"}});
}

std::string format_of(const std::string& format, const Console& console) {
  if (console.json && !format.empty() && format != "json") {
    throw UsageError{fmt::format("--json and --format {} contradict each other", format),
                     "remove one of the two: --json is --format json"};
  }
  if (console.json) return "json";
  return format.empty() ? "text" : format;
}

}  // namespace reeve::app

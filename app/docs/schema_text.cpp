#include "app/docs/schema_text.hpp"

#include <nlohmann/json.hpp>

#include "app/files/output_place.hpp"
#include "scenarios/load/keys/schema.hpp"

namespace reeve::app {

std::string schema_text() {
  return scenarios::scenario_schema().dump(2) + '\n';
}

void check_schema_file(const std::filesystem::path& file, std::string_view option) {
  constexpr std::string_view title = "\"title\": \"reeve scenario\",\n";
  const std::string text = schema_text();
  check_output_file(file, std::string_view{text}.substr(0, text.find(title) + title.size()),
                    option);
}

}  // namespace reeve::app

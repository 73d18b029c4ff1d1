#include "app/schema_text.hpp"

#include <nlohmann/json.hpp>

#include "scenarios/load/schema.hpp"

namespace reeve::app {

std::string schema_text() {
  return scenarios::scenario_schema().dump(2) + '\n';
}

}  // namespace reeve::app

#include "live/mock/parameter_store.hpp"

#include <nlohmann/json.hpp>

namespace reeve::live {

using nlohmann::json;

MockAnswer ParameterStore::answer(std::string_view operation, const json& asked) {
  const std::string name = asked.at("Name");
  const auto known = values_.find(name);
  if (operation == "PutParameter") {
    if (known != values_.end() && !asked.value("Overwrite", false)) {
      return MockError{"ParameterAlreadyExists", "The parameter already exists."};
    }
    values_[name] = asked.at("Value");
    return json{{"Version", 1}, {"Tier", "Standard"}};
  }
  if (known == values_.end()) return MockError{"ParameterNotFound", "There is no such parameter."};
  if (operation == "DeleteParameter") {
    values_.erase(known);
    return json::object();
  }
  return json{{"Parameter", {{"Name", name}, {"Type", "String"}, {"Value", known->second}}}};
}

}  // namespace reeve::live

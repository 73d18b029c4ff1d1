#include "app/docs/gallery.hpp"

#include <string>
#include <vector>

#include "app/usage_error.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

const GalleryScenario& gallery_scenario(std::string_view name) {
  std::vector<std::string_view> names;
  for (const GalleryScenario& scenario : gallery()) {
    if (scenario.name == name) return scenario;
    names.push_back(scenario.name);
  }
  throw UsageError{"there is no template " + scenarios::in_quotes(name),
                   scenarios::did_you_mean(name, names)};
}

std::string_view title_of(const GalleryScenario& scenario) {
  constexpr std::string_view key = "\"title\": \"";
  const std::size_t at = scenario.text.find(key);
  if (at == scenario.text.npos) return {};
  const std::string_view rest = scenario.text.substr(at + key.size());
  return rest.substr(0, rest.find('"'));
}

}  // namespace reeve::app

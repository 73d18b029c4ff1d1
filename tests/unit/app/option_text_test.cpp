// What `reeve policies` says of an option is what the rule's page says.
#include "app/option_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "policies/registry.hpp"

namespace reeve::app {
namespace option_text_test {

/// The words of the tables, in the order of the types.
constexpr const char* words[] = {"flag",  "integer",  "number",   "duration",    "choice",   "text",
                                 "texts", "integers", "text_map", "pattern_map", "condition"};

/// The cells of the row of that name, without the marks around words; none if there is no such row.
std::vector<std::string> row_of(const std::string& page, std::string_view name) {
  const std::size_t begin = page.find("\n| `" + std::string{name} + "` |");
  if (begin == std::string::npos) return {};
  std::string line = page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
  std::erase(line, '`');
  std::vector<std::string> cells;
  for (std::size_t from = 1; from < line.size();) {
    const std::size_t to = line.find('|', from);
    std::string cell = line.substr(from, to - from);
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
    cells.push_back(cell);
    from = to == std::string::npos ? line.size() : to + 1;
  }
  return cells;
}

TEST(OptionText, EachPageHasTypeUnitDefaultAndRangeOfEachOption) {
  for (const policy::PolicyKind& kind : policies::kinds()) {
    const std::string name =
        std::string{REEVE_SOURCE_DIR} + "/docs/rules/" + std::string{kind.name} + ".md";
    std::ifstream file{name};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    if (kind.options.empty()) continue;
    EXPECT_NE(page.find("| Option | Type | Unit | Default | Range | Help | Source |"), page.npos)
        << name;
    for (const policy::OptionSpec& option : kind.options) {
      const std::vector<std::string> cells = row_of(page, option.name);
      ASSERT_EQ(cells.size(), 7U) << name << ": " << option.name;
      std::string range = range_text(option);
      if (range.starts_with("one of ")) range.erase(0, 7);
      const bool required = option.default_json.empty();
      EXPECT_EQ(cells[1], words[static_cast<std::size_t>(option.type)])
          << name << ": " << option.name;
      EXPECT_EQ(cells[2], option.unit) << name << ": " << option.name;
      EXPECT_EQ(cells[3], required ? "required" : std::string{option.default_json}) << name;
      EXPECT_EQ(cells[4], range) << name << ": " << option.name;
      EXPECT_FALSE(cells[5].empty() || cells[6].empty()) << name << ": " << option.name;
    }
  }
}

TEST(OptionText, LengthsOfTimeAreAsInAScenario) {
  policy::OptionSpec option{.name = "period",
                            .type = policy::OptionType::duration,
                            .unit = "",
                            .default_json = "",
                            .min = 60,
                            .max = 86399,
                            .choices = {},
                            .help = ""};
  EXPECT_EQ(range_text(option), "1m to 23h59m59s");
  option.min = 0;
  option.max = 604800;
  EXPECT_EQ(range_text(option), "0s to 7d");
}

}  // namespace option_text_test
}  // namespace reeve::app

// Each option of the rule says which algorithms use it, and the table knows the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/schedule.hpp"

namespace reeve::policies {
namespace schedule_options_test {

/// The words before the first colon, divided by ", ".
std::vector<std::string_view> words_before_colon(std::string_view help) {
  std::vector<std::string_view> words;
  help = help.substr(0, help.find(": "));
  for (std::size_t end = 0; end != help.npos;) {
    end = help.find(", ");
    words.push_back(help.substr(0, end));
    if (end != help.npos) help.remove_prefix(end + 2);
  }
  return words;
}

TEST(ScheduleOptions, HelpNamesTheAlgorithmsThatUseAnOption) {
  const policy::PolicyKind kind = schedule_kind();
  const auto row =
      std::find_if(kind.options.begin(), kind.options.end(),
                   [](const policy::OptionSpec& option) { return option.name == "algorithm"; });
  ASSERT_NE(row, kind.options.end());
  const auto is_algorithm = [&](std::string_view word) {
    return std::find(row->choices.begin(), row->choices.end(), word) != row->choices.end();
  };
  std::size_t told = 0;
  for (const policy::OptionSpec& option : kind.options) {
    if (option.name == "algorithm") continue;
    for (const std::string_view word : option.companion.words) EXPECT_TRUE(is_algorithm(word));
    const std::vector<std::string_view> words = words_before_colon(option.help);
    if (!is_algorithm(words.front())) continue;
    ++told;
    EXPECT_EQ(option.companion.option, "algorithm") << option.name;
    EXPECT_EQ(option.companion.words, words) << option.name;
  }
  EXPECT_GE(told, 25u);
}

}  // namespace schedule_options_test
}  // namespace reeve::policies

// How `reeve policies` and the reference pages print the range of an option.
#include "app/docs/option_text.hpp"

#include <gtest/gtest.h>

namespace reeve::app {
namespace option_text_test {

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

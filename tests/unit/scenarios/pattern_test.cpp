#include "scenarios/text/pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace reeve::scenarios {
namespace pattern_test {

bool matches(const std::string& pattern, const std::string& text) {
  std::string problem;
  return compile_pattern(pattern, problem).value().matches(text);
}

TEST(Pattern, MustMatchTheWholeText) {
  EXPECT_TRUE(matches("[0-9]{4}", "0815"));
  EXPECT_FALSE(matches("[0-9]{4}", "08150"));
  EXPECT_FALSE(matches("a|b", "ab"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("gr.n", "gr\u00fcn")) << "characters, not bytes";
}

// A matcher that tries all ways of splitting the text would take 2^10,000 steps.
TEST(Pattern, NoTextMakesItTakeLong) {
  EXPECT_FALSE(matches("(a+)+b", std::string(10'000, 'a')));
}

TEST(Pattern, WhatIsNoneIsTold) {
  for (const char* const wrong : {"(", "[a", "(a)\\1", "a{3,1}", "(((a{999}){999}){999})"}) {
    std::string problem;
    EXPECT_FALSE(compile_pattern(wrong, problem)) << wrong;
    EXPECT_FALSE(problem.empty()) << wrong;
  }
}

}  // namespace pattern_test
}  // namespace reeve::scenarios

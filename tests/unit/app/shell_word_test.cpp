// What is printed to be copied is read by a shell as it was meant.
#include "app/text/shell_word.hpp"

#include <gtest/gtest.h>

namespace reeve::app {
namespace shell_word_test {

TEST(ShellWord, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(shell_word("out/week-1.jsonc"), "out/week-1.jsonc");
  EXPECT_EQ(shell_word("alarm+resume"), "alarm+resume");
}

TEST(ShellWord, WhatAShellReadsSomethingIntoIsQuoted) {
  EXPECT_EQ(shell_word("a b.jsonc"), "'a b.jsonc'");
  EXPECT_EQ(shell_word("a,b;x"), "'a,b;x'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
}

}  // namespace shell_word_test
}  // namespace reeve::app

#include "report/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "report/display_width.hpp"
#include "report/sentences.hpp"

namespace reeve::report {
namespace terminal_test {

using namespace std::chrono_literals;
using policy::Usd;

Usd usd(std::int64_t cents) {
  return Usd::from_micros(cents * 10'000);
}

/// The stalled weekend of the product drawing.
Table weekend() {
  Table table;
  table.name = "stalled-weekend";
  table.facts = {
      {"stalled-weekend", "8 × ml.demo.8gpu at $30.00/h", "work 72 h", "checkpoint 30 min"},
      {"seed 1, nothing random: 1 run is exact", "digest 4be1…c90a", "9 ms"}};
  table.columns = {{"policy", "policy", Align::left}, {"first_attempt_usd", "first attempt"},
                   {"wasted_usd", "wasted"},          {"noticed_s", "noticed"},
                   {"total_usd", "cost to result"},   {"time_to_result_s", "result after"}};
  const auto row = [&](std::string_view policy, Usd first, Usd wasted, Cell noticed, Usd cost,
                       Cell result) {
    table.rows.push_back({{cell(policy), cell(first), cell(wasted), noticed, cell(cost), result}});
  };
  const Cell late = marked(cell(143h + 5min), 1);
  row("none", usd(1728000), usd(1704000), no_cell(), usd(3434000), late);
  row("cap-24h", usd(576000), usd(552000), no_cell(), usd(2282000), late);
  row("gpu-alarm", usd(31213), usd(7213), cell(policy::Duration{16min}), usd(1737213), late);
  row("alarm+resume", usd(31213), usd(7213), cell(policy::Duration{16min}), usd(1737213),
      cell(72h + 23min + 2s));
  table.notes = {"wasted, gpu-alarm: stalled $64.13 + stop grace $8.00"};
  table.footnotes = {"a person restarts it at 72 h"};
  table.closing = {{"alarm+resume saves $16,967.87 of $17,280.00."}, {"✓ 9 of 9 expectations"}};
  return table;
}

TEST(Terminal, DrawsTheProductTable) {
  // As drawn in the product description, but every gap is 3 and values end where titles end.
  const std::string drawing =
      R"( stalled-weekend   8 × ml.demo.8gpu at $30.00/h   work 72 h   checkpoint 30 min
 seed 1, nothing random: 1 run is exact   digest 4be1…c90a   9 ms

 policy         first attempt       wasted   noticed   cost to result   result after
 ───────────────────────────────────────────────────────────────────────────────────
 none              $17,280.00   $17,040.00         –       $34,340.00     143h05m00s ¹
 cap-24h            $5,760.00    $5,520.00         –       $22,820.00     143h05m00s ¹
 gpu-alarm            $312.13       $72.13    16m00s       $17,372.13     143h05m00s ¹
 alarm+resume         $312.13       $72.13    16m00s       $17,372.13      72h23m02s
 ───────────────────────────────────────────────────────────────────────────────────
 wasted, gpu-alarm: stalled $64.13 + stop grace $8.00      ¹ a person restarts it at 72 h
 alarm+resume saves $16,967.87 of $17,280.00.
 ✓ 9 of 9 expectations
)";
  EXPECT_EQ(terminal(weekend(), {.width = 92}), drawing);
}

TEST(Terminal, FitsEightyColumns) {
  const std::string drawn = terminal(weekend(), {.width = 80});
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = drawn.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = drawn.substr(begin, end - begin);
    EXPECT_LE(display_width(line), 80u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
  EXPECT_NE(drawn.find("$16,967.87"), std::string::npos);
  EXPECT_NE(drawn.find("143h05m00s ¹"), std::string::npos);
}

/// The widest line, in columns.
std::size_t width_of(const std::string& drawn) {
  std::size_t widest = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = drawn.find('\n', begin)) != std::string::npos; begin = end + 1) {
    widest = std::max(widest, display_width(drawn.substr(begin, end - begin)));
  }
  return widest;
}

TEST(Terminal, PutsIntervalsBelowTheirValuesWhereTheyDoNotFitBeside) {
  Table table;
  table.columns = {{"policy", "policy", Align::left}, {"a", "billed"}, {"b", "mean wait"}};
  table.rows = {{{cell("none"), cell("$10.00 ± $1.00"), cell("5m00s")}}};
  EXPECT_EQ(terminal(table, {.width = 28}),
            "                     mean\n"
            " policy    billed    wait\n"
            " ────────────────────────\n"
            " none      $10.00   5m00s\n"
            "          ± $1.00\n"
            " ────────────────────────\n");
  EXPECT_NE(terminal(table, {.width = 60}).find("$10.00 ± $1.00"), std::string::npos);
}

TEST(Terminal, PutsColumnsBelowThatDoNotFitBeside) {
  Table table;
  table.columns = {{"policy", "policy", Align::left}, {"a", "a"}, {"b", "b"}, {"c", "c"}};
  table.rows = {{{cell("none"), cell("1234567"), cell("7654321"), marked(cell("11111"), 1)}}};
  table.footnotes = {"why"};
  EXPECT_EQ(terminal(table, {.width = 25}),
            " policy        a        b\n"
            " ────────────────────────\n"
            " none    1234567  7654321\n"
            " ────────────────────────\n"
            " policy      c\n"
            " ─────────────\n"
            " none    11111 ¹\n"
            " ─────────────\n"
            " ¹ why\n");
}

TEST(Terminal, EachBlockBeginsWithAllThatARowIsOf) {
  Table table;
  table.names = 2;
  table.columns = {
      {"policy", "policy", Align::left}, {"share", "share", Align::left}, {"a", "a"}, {"b", "b"}};
  table.rows = {{{cell("quota"), cell("prod"), cell("1234567"), cell("7654321")}}};
  EXPECT_EQ(terminal(table, {.width = 25}),
            " policy  share        a\n"
            " ──────────────────────\n"
            " quota   prod   1234567\n"
            " ──────────────────────\n"
            " policy  share        b\n"
            " ──────────────────────\n"
            " quota   prod   7654321\n"
            " ──────────────────────\n");
}

TEST(Terminal, BreaksWordsOfALastColumnAtSpaces) {
  Table table;
  table.columns = {{"rule", "rule", Align::left}, {"does", "what it does", Align::left}};
  table.rows = {{{cell("max_runtime"), cell("ends an attempt that trains longer than its limit")}}};
  const std::string drawn = terminal(table, {.width = 50});
  EXPECT_LE(width_of(drawn), 50u) << drawn;
  EXPECT_NE(drawn.find("\n              "), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("limit\n"), std::string::npos) << drawn;
}

TEST(Terminal, NeverCutsValues) {
  const std::string drawn = terminal(weekend(), {.width = 20});
  EXPECT_NE(drawn.find("$17,280.00"), std::string::npos);
  EXPECT_NE(drawn.find("alarm+resume"), std::string::npos);
}

TEST(Terminal, ColumnsAlignWithWideAndCombiningCharacters) {
  Table table;
  table.columns = {{"job", "job", Align::left}, {"n", "n"}};
  table.rows = {{{cell("訓練"), cell(std::uint64_t{1})}},
                {{cell("e\u0301t\u00e9"), cell(std::uint64_t{22})}},
                {{cell("plain"), cell(std::uint64_t{333})}}};
  EXPECT_EQ(terminal(table),
            " job       n\n"
            " ───────────\n"
            " 訓練      1\n"
            " e\u0301t\u00e9      22\n"
            " plain   333\n"
            " ───────────\n");
}

TEST(Terminal, ColoursOnlyIfAskedAndKeepsTheAlignment) {
  Table table;
  table.columns = {{"x", "x", Align::left}, {"y", "y"}};
  Cell bad = cell("5");
  bad.tone = Tone::bad;
  table.rows = {{{cell("a"), bad}}};
  table.closing = {{"✓ fine", Tone::good}};
  EXPECT_EQ(terminal(table).find('\x1b'), std::string::npos);
  std::string coloured = terminal(table, {.colour = true});
  EXPECT_NE(coloured.find("\x1b[31m5\x1b[0m"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[32m✓ fine\x1b[0m"), std::string::npos);
  for (std::size_t at = 0; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, terminal(table));
}

TEST(Terminal, NamesCannotSendEscapes) {
  Table table;
  table.columns = {{"job", "job", Align::left}};
  table.rows = {{{cell("a\x1b[2Jb\nc\xFF\u202E")}}};
  const std::string drawn = terminal(table);
  EXPECT_NE(drawn.find(" a\uFFFD[2Jb c\uFFFD\uFFFD\n"), std::string::npos) << drawn;
}

TEST(Terminal, SetsRulesBetweenRowsAndNumbersFootnotes) {
  Table table;
  table.columns = {{"a", "a", Align::left}, {"b", "b"}};
  table.rows = {{{cell("x"), marked(cell("1"), 1)}}, {{cell("y"), marked(cell("2"), 2)}, true}};
  table.footnotes = {"first", "second"};
  EXPECT_EQ(terminal(table),
            " a   b\n"
            " ─────\n"
            " x   1 ¹\n"
            " ─────\n"
            " y   2 ²\n"
            " ─────\n"
            " ¹ first\n"
            " ² second\n");
}

/// A picture is for people with a wide terminal; programs have its numbers.
TEST(Terminal, DrawsAPictureWhereThereIsRoom) {
  Table table;
  table.columns = {{"policy", "policy", Align::left},
                   {"diff", "difference"},
                   {"forest", " 0", Align::left, true},
                   {"verdict", "", Align::left}};
  table.rows.push_back({{cell("alarm"), cell(usd(-500)), {"─●│", {}}, cell("better")}});
  EXPECT_EQ(terminal(table, {.width = 40}),
            " policy   difference    0\n"
            " ──────────────────────────────────\n"
            " alarm        −$5.00   ─●│   better\n"
            " ──────────────────────────────────\n");
  EXPECT_EQ(terminal(table, {.width = 31}),
            " policy   difference\n"
            " ────────────────────────────\n"
            " alarm        −$5.00   better\n"
            " ────────────────────────────\n");
  EXPECT_EQ(json(table).find("forest"), std::string::npos);
  EXPECT_EQ(markdown(table),
            "| policy | difference |  |\n| :-- | --: | :-- |\n| alarm | −$5.00 | better |\n");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("×…–¹"), 4u);
  EXPECT_EQ(display_width("訓練"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("\xC3"), 1u);          // cut off
  EXPECT_EQ(display_width("\xC0\xAF"), 2u);      // overlong
  EXPECT_EQ(display_width("\xED\xA0\x80"), 3u);  // surrogate
  EXPECT_EQ(superscript(120), "¹²⁰");
}

}  // namespace terminal_test
}  // namespace reeve::report

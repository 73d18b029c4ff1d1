#include "report/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace reeve::report {
namespace table_test {

using namespace std::chrono_literals;
using policy::Usd;

Table small() {
  Table table;
  table.name = "weekend";
  table.facts = {{"weekend", "work 72 h"}};
  table.columns = {{"policy", "policy", Align::left},
                   {"wasted_usd", "wasted"},
                   {"noticed_s", "noticed"},
                   {"stops", "stops"}};
  table.rows = {{{cell("none"), marked(cell(Usd::from_micros(17'040'000'000)), 1), no_cell(),
                  cell(std::uint64_t{1234})}},
                {{cell("a|b_c"), cell(Usd::from_micros(64'133'333)),
                  cell(policy::Duration{960'500ms}), cell(std::uint64_t{0})}}};
  table.notes = {"a note"};
  table.footnotes = {"at best"};
  table.closing = {{"the end"}};
  return table;
}

TEST(Markdown, IsATableWithEscapedNames) {
  EXPECT_EQ(markdown(small()),
            "weekend · work 72 h  \n"
            "\n"
            "| policy | wasted | noticed | stops |\n"
            "| :-- | --: | --: | --: |\n"
            "| none | $17,040.00 ¹ | – | 1,234 |\n"
            "| a\\|b\\_c | $64.13 | 16m00.5s | 0 |\n"
            "\n"
            "a note\n"
            "\n"
            "¹ at best\n"
            "\n"
            "the end\n");
}

TEST(Json, HoldsExactValuesByKeyAndEverythingPrinted) {
  const auto parsed = nlohmann::json::parse(json(small()));
  EXPECT_EQ(parsed["name"], "weekend");
  const auto& rows = parsed["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["policy"], "none");
  EXPECT_EQ(rows[0]["wasted_usd"], 17040.0);
  EXPECT_TRUE(rows[0]["noticed_s"].is_null());
  EXPECT_EQ(rows[0]["stops"], 1234);
  EXPECT_EQ(rows[0]["footnotes"]["wasted_usd"], 1);
  EXPECT_EQ(rows[1]["wasted_usd"], 64.133333);
  EXPECT_EQ(rows[1]["noticed_s"], 960.5);
  EXPECT_FALSE(rows[1].contains("footnotes"));
  EXPECT_EQ(parsed["notes"][0], "a note");
  EXPECT_EQ(parsed["footnotes"][0], "at best");
  EXPECT_EQ(parsed["closing"][0], "the end");
  EXPECT_EQ(parsed["facts"][0][1], "work 72 h");
}

TEST(Json, MoneyKeepsEveryMicroDollar) {
  for (const std::int64_t micros : {1L, -1L, 123'456'789'012'345L, 17'280'000'001L}) {
    Table table;
    table.columns = {{"x_usd", "x"}};
    table.rows = {{{cell(Usd::from_micros(micros))}}};
    const auto parsed = nlohmann::json::parse(json(table));
    const double dollars = parsed["rows"][0]["x_usd"];
    EXPECT_EQ(static_cast<std::int64_t>(std::llround(dollars * 1e6)), micros);
  }
}

TEST(TableDeathTest, RefusesRowsOfTheWrongShape) {
  Table table = small();
  table.rows[0].cells.pop_back();
  EXPECT_DEATH(json(table), "cells in a row of weekend");
  table = small();
  table.footnotes.clear();
  EXPECT_DEATH(markdown(table), "footnote of");
}

}  // namespace table_test
}  // namespace reeve::report

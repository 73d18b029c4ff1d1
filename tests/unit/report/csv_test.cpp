#include "report/csv.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <sstream>

#include "csv_text.hpp"

namespace reeve::report {
namespace csv_test {

using namespace std::chrono_literals;

TEST(Csv, QuotesOnlyWhatNeedsQuotes) {
  std::ostringstream out;
  CsvWriter csv{out, "x"};
  csv.text("plain text");
  csv.text("a,b");
  csv.text("say \"hi\"");
  csv.text("two\nlines");
  csv.empty();
  csv.boolean(true);
  csv.end_row();
  csv.flush();
  EXPECT_EQ(out.str(), "plain text,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,true\n");
}

TEST(Csv, RepeatsCellsAsIfEachWasWritten) {
  const std::string texts[] = {"a,b", "=1+2", ""};
  const auto written = [&](bool repeats) {
    std::ostringstream out;
    CsvWriter csv{out, "x"};
    for (int row = 0; row < 2; ++row) {
      csv.count(7);
      if (repeats) {
        csv.repeat(CsvWriter::prepared({texts[0], texts[1], texts[2]}), 3);
      } else {
        for (const std::string& text : texts) csv.text(text);
      }
      csv.count(8);
      csv.end_row();
    }
    csv.flush();
    return out.str();
  };
  EXPECT_EQ(written(true), written(false));
}

TEST(Csv, UnknownTimesAreEmpty) {
  std::ostringstream out;
  CsvWriter csv{out, "x"};
  csv.since(policy::Instant{5s}, policy::Instant{7500ms});
  csv.since(policy::Instant{5s}, policy::never);
  csv.instant(policy::never);
  csv.end_row();
  csv.flush();
  EXPECT_EQ(out.str(), "2.5,,\n");
}

TEST(Csv, ReadsBackAsWritten) {
  const bool held =
      rc::check("any safe text survives", [](const std::vector<std::vector<std::string>>& given) {
        CsvRows rows;
        const std::size_t width = given.empty() ? 1 : given.front().size() + 1;
        std::ostringstream out;
        CsvWriter csv{out, "x"};
        for (std::vector<std::string> row : given) {
          row.resize(width);
          for (std::string& cell : row) {
            for (const char special : {'"', ',', '\n', '\r'}) {
              if (*rc::gen::arbitrary<bool>()) cell += special;
            }
            csv.text(cell);
            cell = safe_cell(cell);
          }
          csv.end_row();
          rows.push_back(std::move(row));
        }
        csv.flush();
        RC_ASSERT(parse_csv(out.str()) == rows);
        RC_ASSERT(csv.bytes() == out.str().size());
      });
  EXPECT_TRUE(held);
}

TEST(Csv, HoldsNoFormulasAndNoEscapeSequences) {
  for (const char* const plain :
       {"job-1", "-", "-1.5", "+2", " -2", "-.5e3", "1e3", "a=b", "'x", "' ", "é", "two\nlines"}) {
    EXPECT_EQ(safe_cell(plain), plain);
  }
  for (const char* const formula : {"=cmd()", "+1+2", "-2+3", "@SUM(A1)", "=1", "-x", "\n=1+1",
                                    " =1", "\n \n-x", "+-1", "-inf", "'=1", "''=1", "'\n@x"}) {
    EXPECT_EQ(safe_cell(formula), std::string{"'"} + formula);
    EXPECT_FALSE(is_safe_cell(formula));
  }
  EXPECT_EQ(safe_cell("\t=1"), "' =1");
  EXPECT_EQ(safe_cell("\r\n=1"), "' \n=1");
  EXPECT_EQ(safe_cell("\x01=1"), "'\uFFFD=1");
  EXPECT_EQ(safe_cell("\x1b[31mred"), "\uFFFD[31mred");
  EXPECT_EQ(safe_cell("a\tb\r"), "a b ");
  EXPECT_EQ(safe_cell("\u009b1m\u202e"), "\uFFFD1m\uFFFD");
  std::ostringstream out;
  CsvWriter csv{out, "x"};
  csv.text("=cmd(),1");
  csv.number(-2.5);
  csv.end_row();
  csv.flush();
  EXPECT_EQ(out.str(), "\"'=cmd(),1\",-2.5\n");
}

TEST(Csv, GivesNoTwoPlainTextsTheSameCell) {
  const auto text =
      rc::gen::container<std::string>(rc::gen::element('\'', '=', '-', ' ', '\n', '1'));
  const bool held = rc::check("injective", [&] {
    const std::string a = *text;
    const std::string b = *text;
    RC_ASSERT((safe_cell(a) == safe_cell(b)) == (a == b));
    RC_ASSERT(safe_cell('\'' + a) != safe_cell(a));
  });
  EXPECT_TRUE(held);
}

TEST(Csv, NamesTheFileThatCannotBeWritten) {
  std::ofstream full{"/dev/full", std::ios::binary};
  if (!full) GTEST_SKIP() << "no /dev/full here";
  CsvWriter csv{full, "out/jobs.csv"};
  csv.text("x");
  csv.end_row();
  try {
    csv.flush();
    FAIL() << "a full disk went unnoticed";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string{error.what()}, "cannot write out/jobs.csv: No space left on device");
  }
}

TEST(CsvDeathTest, RefusesRowsShorterThanTheHeader) {
  std::ostringstream out;
  CsvWriter csv{out, "jobs"};
  csv.text("a");
  csv.text("b");
  csv.end_row();
  csv.text("1");
  EXPECT_DEATH(csv.end_row(), "cells and columns of jobs 1 2");
}

}  // namespace csv_test
}  // namespace reeve::report

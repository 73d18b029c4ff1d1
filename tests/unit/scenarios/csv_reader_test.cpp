// Records of CSV are split as a simple reader splits them, byte by byte.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/text/csv.hpp"

namespace reeve::scenarios {
namespace csv_reader_test {

using Records = std::vector<std::vector<std::string>>;

struct Outcome {
  Records records;
  std::string code;  ///< of the error that ended it
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read(const std::string& text) {
  Outcome outcome;
  try {
    CsvReader csv{"t.csv", Inflater{"t.csv", std::make_unique<std::istringstream>(text), 1 << 28},
                  1 << 20};
    while (csv.next()) outcome.records.emplace_back(csv.fields().begin(), csv.fields().end());
    EXPECT_EQ(csv.bytes(), text.size());
  } catch (const InputError& error) {
    outcome.code = error.diagnostics().front().code;
  }
  return outcome;
}

/// The same, one byte after the other.  Commas only.
class Oracle {
 public:
  explicit Oracle(std::string text) : text_{std::move(text)} {}

  Outcome read() {
    Outcome outcome;
    while (at_ < text_.size()) {
      std::vector<std::string> fields;
      std::string code;
      const bool is_blank = !record(fields, code);
      if (!code.empty()) {
        outcome.code = code;
        return outcome;
      }
      if (!is_blank) outcome.records.push_back(std::move(fields));
    }
    return outcome;
  }

 private:
  bool ends_line() const {
    return at_ == text_.size() || text_[at_] == '\n' ||
           (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }
  bool ends_field() const { return ends_line() || text_[at_] == ','; }

  /// False if the line is blank.
  bool record(std::vector<std::string>& fields, std::string& code) {
    const std::size_t begin = at_;
    for (;; ++at_) {
      std::string field;
      if (at_ < text_.size() && text_[at_] == '"') {
        for (++at_;; ++at_) {
          if (at_ == text_.size()) return code = "E0311", true;
          if (text_[at_] != '"') {
            field += text_[at_];
          } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
            field += text_[++at_];
          } else {
            break;
          }
        }
        ++at_;
        if (!ends_field()) code = "E0310";  // unless a quote stays open behind it
      }
      while (!ends_field()) field += text_[at_++];
      fields.push_back(std::move(field));
      if (ends_line()) break;
    }
    const bool is_blank = at_ == begin;
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    ++at_;
    return !is_blank;
  }

  std::string text_;
  std::size_t at_ = 0;
};

TEST(CsvReader, SplitsAnyTextAsASimpleReader) {
  rc::check([] {
    const auto marks = *rc::gen::container<std::string>(
        rc::gen::weightedElement<char>({{4, '"'}, {4, ','}, {2, '\n'}, {1, '\r'}, {4, 'x'}}));
    // The first record has a comma, so that this is the delimiter.
    const std::string text = "a,b\n" + marks;
    RC_ASSERT(read(text) == Oracle{text}.read());
  });
}

TEST(CsvReader, GivesBackWhatWasWritten) {
  rc::check([] {
    const auto cell = rc::gen::container<std::string>(
        rc::gen::weightedElement<char>({{1, '"'}, {1, ','}, {1, '\n'}, {12, 'x'}, {3, ';'}}));
    const auto rows = *rc::gen::nonEmpty(
        rc::gen::container<Records>(rc::gen::container<std::vector<std::string>>(3, cell)));
    std::string text;
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        text += i == 0 ? "\"" : ",\"";
        for (const char c : row[i]) text += c == '"' ? std::string{"\"\""} : std::string{c};
        text += '"';
      }
      text += "\r\n";
    }
    RC_ASSERT(read(text).records == rows);
  });
}

TEST(CsvReader, ARecordMayCrossTheEndOfTheBuffer) {
  // The buffer holds 256 KiB; quotes, pairs of quotes and line ends come to lie across its end.
  for (std::size_t before = (std::size_t{256} << 10) - 12; before < (std::size_t{256} << 10) + 4;
       ++before) {
    const std::string text =
        "a,b\n" + std::string(before - 4, 'x') + ",y\n\"q\"\"r\",\"s\nt\"\r\n1,2\n";
    EXPECT_EQ(read(text), Oracle{text}.read()) << before;
  }
}

TEST(CsvReader, LineEndsMayDifferInOneFile) {
  EXPECT_EQ(read("a,\"b\"\n1,2\r\n\"3\",\"4\"\r\n5,\"6\"\n7,\r\n8,9\r").records,
            (Records{{"a", "b"}, {"1", "2"}, {"3", "4"}, {"5", "6"}, {"7", ""}, {"8", "9"}}));
}

TEST(CsvReader, AnotherDelimiterIsSeenInTheFirstRecord) {
  EXPECT_EQ(read("\"a;1\";b\n\"c\"\"\";d\n").records, (Records{{"a;1", "b"}, {"c\"", "d"}}));
  EXPECT_EQ(read("a;\"b\nc\n").code, "E0311");
  EXPECT_EQ(read("\"a\"x;b\n").code, "E0310");
}

}  // namespace csv_reader_test
}  // namespace reeve::scenarios

#include "scenarios/load/keys/object_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace object_table_test {

struct Inner {
  std::string name = "unread";
  std::array<std::optional<std::uint32_t>, 3> counts{};
};

struct Part {
  bool flag = false;
  double share = 7;
};

struct Whole {
  std::optional<Node> written;
  Inner inner;
  std::optional<Part> part;
  Part own;
  std::vector<std::pair<std::string, std::uint32_t>> sizes;
  std::vector<Part> parts;
  std::uint16_t choice = 9;
};

const ObjectTable<Part>& part_table() {
  static const ObjectTable<Part> table{
      "a part",
      "Part of a whole.",
      {field<Part>("flag", &Part::flag, flag(), "yes or no", {"true"}),
       field<Part>("share", &Part::share, number(0, 1), "of all")}};
  return table;
}

const ObjectTable<Whole>& whole_table() {
  static const ObjectTable<Whole> table = [] {
    const Slot inner{&Whole::inner};
    Fields<Whole> fields{
        field<Whole>("name", inner(&Inner::name), text(), "nested", {"\"none\""}),
        field<Whole>("third", inner(&Inner::counts)[2], integer<std::uint32_t>(0, 9), "nested"),
        field<Whole>("part", &Whole::part, object(part_table()), "one that may be missing"),
        field<Whole>("sizes", &Whole::sizes, map_of(integer<std::uint32_t>(1, 9)), "by name"),
        field<Whole>("parts", &Whole::parts, list_of(object(part_table())), "any number"),
        field<Whole>("choice", &Whole::choice, choice<std::uint16_t>({{"one", 1}, {"two", 2}}),
                     "a word", {"\"two\""})};
    include(fields, &Whole::own, part_table());
    return ObjectTable<Whole>{"a whole", "What has parts.", std::move(fields)};
  }();
  return table;
}

/// Reads a text over `whole`; returns the codes of what is wrong with it.
std::vector<std::string> read(const std::string& text, Whole& whole) {
  static std::vector<Document> documents;  // nodes stay valid
  documents.push_back(Document::parse(SourceFile::from_text("test", text)));
  Findings findings;
  whole_table().read(documents.back().root(), findings, whole);
  std::vector<std::string> codes;
  for (const Diagnostic& finding : findings.sorted()) codes.push_back(finding.code);
  return codes;
}

using Codes = std::vector<std::string>;

TEST(ObjectTable, AnEmptyObjectHasTheDefaultsOfTheTable) {
  const Whole& fresh = whole_table().fresh();
  EXPECT_EQ(fresh.inner.name, "none");
  EXPECT_EQ(fresh.choice, 2);
  EXPECT_TRUE(fresh.own.flag);
  EXPECT_EQ(fresh.own.share, 0);  // not 7: what has no default is as a new one of its type
  EXPECT_FALSE(fresh.part.has_value());
}

TEST(ObjectTable, ReadsEachKeyIntoItsPlaceHoweverDeep) {
  Whole whole = whole_table().fresh();
  const std::string text = R"({"name": "n", "third": 3, "part": {"share": 0.5}, "choice": "one",
                               "sizes": {"a": 1, "b": 2}, "parts": [{}, {"flag": false}],
                               "flag": false, "share": 0.25})";
  EXPECT_EQ(read(text, whole), Codes{});
  EXPECT_TRUE(whole.written.has_value());
  EXPECT_EQ(whole.inner.name, "n");
  EXPECT_EQ(whole.inner.counts[2], 3U);
  EXPECT_FALSE(whole.inner.counts[0] || whole.inner.counts[1]);
  ASSERT_TRUE(whole.part.has_value());
  EXPECT_TRUE(whole.part->flag);
  EXPECT_EQ(whole.part->share, 0.5);
  EXPECT_EQ(whole.choice, 1);
  EXPECT_FALSE(whole.own.flag);
  EXPECT_EQ(whole.own.share, 0.25);
  ASSERT_EQ(whole.parts.size(), 2U);
  EXPECT_TRUE(whole.parts[0].flag);
  EXPECT_FALSE(whole.parts[1].flag);
}

TEST(ObjectTable, ReadsOverWhatStandsThereAndKeepsItAfterAFinding) {
  Whole whole = whole_table().fresh();
  EXPECT_EQ(read(R"({"third": 3, "part": {"share": 0.5}, "sizes": {"a": 1, "b": 2}})", whole),
            Codes{});
  EXPECT_EQ(read(R"({"part": {"flag": false}, "sizes": {"b": 5, "c": 3}})", whole), Codes{});
  EXPECT_EQ(whole.part->share, 0.5);
  EXPECT_FALSE(whole.part->flag);
  const std::vector<std::pair<std::string, std::uint32_t>> merged{{"a", 1}, {"b", 5}, {"c", 3}};
  EXPECT_EQ(whole.sizes, merged);
  EXPECT_EQ(read(R"({"third": 10, "part": 1, "sizes": {"a": 0}, "choice": "none"})", whole),
            (Codes{"E0205", "E0120", "E0205", "E0204"}));
  EXPECT_EQ(whole.inner.counts[2], 3U);
  EXPECT_EQ(whole.part->share, 0.5);
  EXPECT_EQ(whole.sizes, merged);
  EXPECT_EQ(whole.choice, 2);
}

TEST(ObjectTable, AFindingLeavesAnEmptyOptionalAndAListWithoutWhatItIsIn) {
  Whole whole = whole_table().fresh();
  EXPECT_EQ(read(R"({"third": 10, "part": [], "parts": [{"share": 1}, 4]})", whole).size(), 3U);
  EXPECT_FALSE(whole.inner.counts[2].has_value());
  EXPECT_FALSE(whole.part.has_value());
  ASSERT_EQ(whole.parts.size(), 1U);
  EXPECT_EQ(whole.parts[0].share, 1);
}

}  // namespace object_table_test
}  // namespace reeve::scenarios

// Scenario texts become trees that know their places; every mistake is explained where it is.
#include "scenarios/text/json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "scenarios/text/json_syntax.hpp"

namespace reeve::scenarios {
namespace json_test {

Document parse(std::string text) {
  return Document::parse(SourceFile::from_text("t.jsonc", std::move(text)));
}

template <class Action>
Diagnostic refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << "was accepted";
  return {};
}

Diagnostic refusal_of(const std::string& text) {
  SCOPED_TRACE(text);
  return refusal([&text] { parse(text); });
}

std::string place_and_code(const Diagnostic& found) {
  return found.code + " " + std::to_string(found.position.line) + ":" +
         std::to_string(found.position.column) + "+" + std::to_string(found.position.length);
}

TEST(Json, KnowsKindsValuesAndPlaces) {
  const Document document = parse(R"({ // comment
  "a": [1, -2.50, true, null, "x\u00e9\n",],
  "b/c~": {"d": 12345678901234567890,},
  /* last */ "e": ""
})");
  const Node root = document.root();
  ASSERT_EQ(root.size(), 3u);
  const Node list = *root.find("a");
  EXPECT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].as_integer(), 1);
  EXPECT_EQ(list[0].as_number(), 1.0);
  EXPECT_EQ(list[1].as_number(), -2.5);
  EXPECT_EQ(list[1].raw(), "-2.50");
  EXPECT_TRUE(list[2].as_boolean());
  EXPECT_TRUE(list[3].is_null());
  EXPECT_EQ(list[4].as_text(), "xé\n");
  EXPECT_EQ(list[4].pointer(), "/a/4");
  const Node deep = *root.find("b/c~")->find("d");
  EXPECT_EQ(deep.pointer(), "/b~1c~0/d");
  EXPECT_EQ(deep.key(), "d");
  EXPECT_EQ(deep.as_unsigned(), 12345678901234567890u);
  EXPECT_EQ(deep.parent()->parent(), root);
  EXPECT_EQ(root.pointer(), "");
  EXPECT_EQ(root.find("nothing"), std::nullopt);
  EXPECT_EQ(list.find("a"), std::nullopt);
  std::string keys;
  for (const Node member : root.as_object()) keys += std::string{member.key()} + " ";
  EXPECT_EQ(keys, "a b/c~ e ");  // the order of the file
  EXPECT_EQ(place_and_code(at(deep, "X", "")), "X 3:17+20");
  EXPECT_EQ(place_and_code(at_key(deep, "X", "")), "X 3:12+3");
  EXPECT_EQ(place_and_code(at(list, "X", "")), "X 2:8+1");
  EXPECT_EQ(at(list[4], "X", "").pointer, "/a/4");
}

TEST(Json, PointsIntoTextsThroughEscapes) {
  const Document document = parse(R"(["a\u00e9\n\ud83d\ude80b == x"])");
  const Node text = document.root()[0];
  const std::size_t at = text.as_text().find("==");
  EXPECT_EQ(place_and_code(within(text, at, 2, "X", "")), "X 1:26+2");
  EXPECT_EQ(place_and_code(within(text, 0, 1, "X", "")), "X 1:3+1");
  EXPECT_EQ(place_and_code(within(text, text.as_text().size(), 0, "X", "")), "X 1:30+1");
  EXPECT_EQ(place_and_code(within(text, 1000, 5, "X", "")), "X 1:30+1");
}

TEST(Json, NumbersAreNeverRoundedInSilence) {
  EXPECT_EQ(parse("9223372036854775807").root().as_integer(), 9223372036854775807);
  EXPECT_EQ(parse("-9223372036854775808").root().as_integer(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse("-0").root().as_integer(), 0);
  const auto code_of = [](const std::string& text, auto read) {
    const Document document = parse(text);
    return refusal([&] { read(document.root()); }).code;
  };
  const auto integer = [](const Node& node) { node.as_integer(); };
  const auto number = [](const Node& node) { node.as_number(); };
  const auto natural = [](const Node& node) { node.as_unsigned(); };
  EXPECT_EQ(code_of("9223372036854775808", integer), "E0121");
  EXPECT_EQ(code_of("9223372036854775808", number), "E0121");
  EXPECT_EQ(code_of("99999999999999999999999", number), "E0121");
  EXPECT_EQ(code_of("18446744073709551616", natural), "E0121");
  EXPECT_EQ(code_of("-1", natural), "E0121");
  EXPECT_EQ(code_of("1.0", integer), "E0120");
  EXPECT_EQ(code_of("1e3", integer), "E0120");
  EXPECT_EQ(code_of("\"1\"", integer), "E0120");
}

TEST(Json, AWrongKindSaysWhatItIs) {
  const Document document = parse(R"({"jobs": [{"work": 72}]})");
  const Node work = *(*document.root().find("jobs"))[0].find("work");
  const Diagnostic found = refusal([&] { work.as_text(); });
  EXPECT_EQ(found.message, "expected a text");
  EXPECT_EQ(found.label, "this is a whole number");
  EXPECT_EQ(found.pointer, "/jobs/0/work");
  EXPECT_EQ(refusal([&] { work.as_object(); }).message, "expected an object");
}

struct Mistake {
  std::string text, expected;
};

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreExplainedAtTheirPlace) {
  EXPECT_EQ(place_and_code(refusal_of(GetParam().text)), GetParam().expected) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Json, Mistakes,
    ::testing::Values(
        Mistake{"", "E0117 1:1+1"}, Mistake{" // only\n", "E0117 1:1+1"},
        Mistake{"{\"a\": \"b\n}", "E0102 1:7+2"}, Mistake{"[\"abc", "E0102 1:2+4"},
        Mistake{"[1] /* x", "E0103 1:5+2"}, Mistake{"/*", "E0103 1:1+2"},
        Mistake{"{\"a\": 1\n \"b\": 2}", "E0104 1:8+1"}, Mistake{"[1 2]", "E0104 1:3+1"},
        Mistake{"[[] []]", "E0104 1:4+1"}, Mistake{"{\"a\": {}, \"b\": [1,\n", "E0105 1:19+1"},
        Mistake{"{", "E0105 1:2+1"}, Mistake{"[1", "E0105 1:3+1"}, Mistake{"{\"a\"", "E0105 1:5+1"},
        Mistake{"{\"a\":", "E0105 1:6+1"}, Mistake{"{'a': 1}", "E0106 1:2+3"},
        Mistake{"['it', 1]", "E0106 1:2+4"}, Mistake{"{a: 1}", "E0107 1:2+1"},
        Mistake{"{\"a\": 1, b: 2}", "E0107 1:10+1"}, Mistake{"[1e400]", "E0108 1:2+5"},
        Mistake{"[-1e999]", "E0108 1:2+6"}, Mistake{"[1e-400]", "E0108 1:2+6"},
        Mistake{"[NaN]", "E0109 1:2+3"}, Mistake{"[-Infinity]", "E0109 1:2+9"},
        Mistake{"[+1]", "E0109 1:2+2"}, Mistake{"[.5]", "E0109 1:2+2"},
        Mistake{"[5.]", "E0109 1:2+2"}, Mistake{"[007]", "E0109 1:2+3"},
        Mistake{"[0x1F]", "E0109 1:2+4"}, Mistake{"{\"w\": 30m}", "E0109 1:7+3"},
        Mistake{"[1_000]", "E0109 1:2+5"}, Mistake{"{\"a\": 1,\n\"a\": 2}", "E0111 2:1+3"},
        Mistake{"{\"a\": 1, \"\\u0061\": 2}", "E0111 1:10+8"},
        Mistake{"[\"a\\qb\"]", "E0112 1:4+2"}, Mistake{"[\"a\tb\"]", "E0112 1:4+1"},
        Mistake{"[\"\\u12\"]", "E0112 1:3+6"}, Mistake{"[\"\\ud800\"]", "E0112 1:3+6"},
        Mistake{"{} x", "E0113 1:4+1"}, Mistake{"[1]]", "E0113 1:4+1"},
        Mistake{"[1}", "E0114 1:3+1"}, Mistake{"{\"a\": 1]", "E0114 1:8+1"},
        Mistake{"{\"a\" 1}", "E0115 1:5+1"}, Mistake{"{\"a\" = 1}", "E0115 1:6+1"},
        Mistake{"[,]", "E0116 1:2+1"}, Mistake{"[1,,]", "E0116 1:4+1"},
        Mistake{"{\"a\": }", "E0116 1:7+1"}, Mistake{"{\"a\": , \"b\": 1}", "E0116 1:7+1"},
        Mistake{"{,}", "E0101 1:2+1"}, Mistake{"[True]", "E0101 1:2+4"},
        Mistake{"[\"a\": 1]", "E0101 1:5+1"}, Mistake{"{\"a\": 1; \"b\": 2}", "E0101 1:8+1"},
        Mistake{"# hi", "E0101 1:1+1"}, Mistake{"{\"a\": “b”}", "E0101 1:7+1"},
        Mistake{"truely", "E0101 1:1+6"}, Mistake{"/ x", "E0101 1:1+1"}));

TEST(Json, ExplanationsNameTheRemedy) {
  EXPECT_EQ(refusal_of("{'a': 1}").help, "write \"a\"");
  EXPECT_EQ(refusal_of("{a: 1}").help, "write \"a\"");
  EXPECT_EQ(refusal_of("[True]").help, "did you mean true?");
  EXPECT_EQ(refusal_of("[None]").help, "did you mean null?");
  EXPECT_NE(refusal_of("[30m]").help.find("\"30m\""), std::string::npos);
  EXPECT_EQ(refusal_of("# hi").help, "begin comments with //");
  EXPECT_EQ(refusal_of("{\"x\": [\n1").notes.at(0), "the list begins on line 1, column 7");
  const Diagnostic twice = refusal_of("{\"a\": 1,\n \"b\": [0, {\"k\": 1,\n\"k\": 2}]}");
  EXPECT_EQ(twice.label, "first on line 2");
  EXPECT_EQ(twice.pointer, "/b/1/k");
}

TEST(Json, DepthIsLimited) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_NO_THROW(parse(nested(64)));
  EXPECT_EQ(place_and_code(refusal_of(nested(65))), "E0110 1:65+1");
  EXPECT_EQ(refusal_of(std::string(1'000'000, '[')).code, "E0110");
}

TEST(Json, ManyKeysAreFoundAndComparedFast) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) {
    text += '"';
    text += std::to_string(i) + "\":" + std::to_string(i) + ",";
  }
  const Document document = parse(text + "}");
  EXPECT_EQ(document.root().size(), 200'000u);
  EXPECT_EQ(document.root().find("123456")->as_integer(), 123456);
  EXPECT_EQ(document.root().find("x"), std::nullopt);
  EXPECT_EQ(refusal([&] { parse(text + "\"777\": 0}"); }).code, "E0111");
}

TEST(Json, TooManyValuesAreRefused) {
  std::string text = "[";
  for (std::size_t i = 0; i <= max_json_values; ++i) text += "0,";
  EXPECT_EQ(refusal([&] { parse(text + "]"); }).code, "E0118");
}

TEST(Json, TrailingCommasAreBlankedOnlyWhereTheyAreAllowed) {
  EXPECT_EQ(without_trailing_commas("[1,]"), "[1 ]");
  EXPECT_EQ(without_trailing_commas("{\"a\":[1, /*,]*/ ] , // ]\n}"),
            "{\"a\":[1  /*,]*/ ]   // ]\n}");
  EXPECT_EQ(without_trailing_commas("[\",]\",\"\\\",]\"]"), "[\",]\",\"\\\",]\"]");
  EXPECT_EQ(without_trailing_commas("[,]"), "[,]");
  EXPECT_EQ(without_trailing_commas("[1,,]"), "[1,,]");
}

// ---- agreement with nlohmann's own tree
// ------------------------------------------------------------

void expect_equal(const Node& node, const nlohmann::json& other) {
  switch (node.kind()) {
    case Kind::null:
      RC_ASSERT(other.is_null());
      return;
    case Kind::boolean:
      RC_ASSERT(node.as_boolean() == other.get<bool>());
      return;
    case Kind::integer:
      RC_ASSERT(node.as_integer() == other.get<std::int64_t>());
      return;
    case Kind::number:
      RC_ASSERT(node.as_number() == other.get<double>());
      return;
    case Kind::text:
      RC_ASSERT(node.as_text() == other.get<std::string>());
      return;
    case Kind::array: {
      RC_ASSERT(node.size() == other.size());
      std::size_t index = 0;
      for (const Node child : node.as_array()) expect_equal(child, other[index++]);
      return;
    }
    case Kind::object:
      RC_ASSERT(node.size() == other.size());
      for (const Node child : node.as_object()) {
        const std::string key{child.key()};
        RC_ASSERT(node.find(key) == child);
        RC_ASSERT(nlohmann::json::parse(child.raw_key()).get<std::string>() == key);
        expect_equal(child, other.at(key));
      }
      return;
  }
}

std::string random_text() {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", ",", "]", "}", "\"", "\\", "//", "/*", "\n", "\t", "é", "🚀", " ", "x", "\x01"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

nlohmann::json random_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<double>();
    case 4:
    case 5:
      return random_text();
    case 6: {
      nlohmann::json list = nlohmann::json::array();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) list.push_back(random_json(depth - 1));
      return list;
    }
    default: {
      nlohmann::json object = nlohmann::json::object();
      for (int i = *rc::gen::inRange(0, 25); i > 0; --i)
        object[random_text()] = random_json(depth - 1);
      return object;
    }
  }
}

TEST(Json, AgreesWithNlohmannOnRandomDocuments) {
  EXPECT_TRUE(rc::check([] {
    const nlohmann::json value = random_json(3);
    const int indent = *rc::gen::inRange(-1, 3);
    const bool ascii = *rc::gen::arbitrary<bool>();
    const std::string text = value.dump(indent, ' ', ascii);
    expect_equal(parse(text).root(), nlohmann::json::parse(text));
    const std::string commented = "// ,]}\n" + text + "/* \" */";
    expect_equal(parse(commented).root(), nlohmann::json::parse(text));
  }));
}

TEST(Json, EveryPrefixOfADocumentIsRefusedWithoutHarm) {
  EXPECT_TRUE(rc::check([] {
    nlohmann::json list = nlohmann::json::array();
    list.push_back(random_json(3));
    const std::string text = list.dump(1);
    const auto cut =
        static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(text.size())));
    try {
      parse(text.substr(0, cut));
      RC_FAIL("a cut document was accepted");
    } catch (const InputError& error) {
      const Diagnostic& found = error.diagnostics().at(0);
      RC_ASSERT(!found.message.empty());
      RC_ASSERT(render(found).size() < 3000u);
    }
  }));
}

TEST(Json, ReadsTheExampleScenarios) {
  const std::filesystem::path folder = REEVE_SOURCE_DIR "/../shared/examples";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no ../shared/examples here";
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    if (entry.path().extension() != ".jsonc") continue;
    const Document document = Document::parse(SourceFile::load(entry.path()));
    EXPECT_EQ(document.root().find("reeve")->as_integer(), 1);
    ++read;
  }
  EXPECT_GT(read, 0u);
}

}  // namespace json_test
}  // namespace reeve::scenarios

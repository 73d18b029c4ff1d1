#include "scenarios/history/reading/json_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace reeve::scenarios {
namespace {

using nlohmann::json;

constexpr auto kept_keys = std::to_array<std::string_view>({"a", "list", "caf\u00E9"});
constexpr auto kept_whole_keys = std::to_array<std::string_view>({"b", "longer key"});
constexpr auto skipped_keys = std::to_array<std::string_view>({"", "c", "x\ny"});

/// What reading a text gave.
struct JsonReading {
  std::vector<json> records;
  std::string fault;  ///< empty: none
  std::uint64_t line = 0;
};

JsonReading read_json(const std::string& text, const JsonShape& shape) {
  JsonReading found;
  HistoryInput input{"file.json", std::make_unique<std::istringstream>(text)};
  try {
    for_each_record(input, shape,
                    [&](const JsonRecord& record) { found.records.push_back(record.value); });
  } catch (const InputError& error) {
    found.fault = error.diagnostics().front().message;
    found.line = error.diagnostics().front().position.line;
  }
  return found;
}

/// A part of a record with the keys that are kept.
json kept_json(const json& value) {
  const auto is_in = [](const auto& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  json result = value;
  if (value.is_array()) {
    for (json& each : result) each = kept_json(each);
  } else if (value.is_object()) {
    result = json::object();
    for (auto each = value.begin(); each != value.end(); ++each) {
      if (is_in(kept_whole_keys, each.key())) result[each.key()] = each.value();
      if (is_in(kept_keys, each.key())) result[each.key()] = kept_json(each.value());
    }
  }
  return result;
}

/// The same by nlohmann's parser, value after value.
JsonReading expected_json(const std::string& text) {
  JsonReading found;
  std::istringstream stream{text};
  while (true) {
    constexpr std::string_view between = " \n\r\t,";
    while (stream.peek() != EOF && between.find(static_cast<char>(stream.peek())) != between.npos) {
      stream.get();
    }
    if (stream.peek() == EOF) return found;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(stream.tellg());
    json value;
    try {
      stream >> value;
    } catch (const json::exception& error) {
      const std::string what = error.what();
      const std::size_t line = what.find("line "), told = what.find(": ");
      found.fault = "this is not JSON: " + (told == what.npos ? what : what.substr(told + 2));
      found.line = static_cast<std::uint64_t>(std::count(text.begin(), begin, '\n'));
      if (line != what.npos) found.line += std::stoul(what.substr(line + 5));
      return found;
    }
    if (value.is_number() && !stream.eof()) stream.unget();  // nlohmann's parser looks ahead
    if (!value.is_array()) value = json::array({value});
    for (const json& record : value) found.records.push_back(kept_json(record));
  }
}

/// Without the text that was read last, which the scanner tells of one token only.
std::string reason_of(const std::string& fault) {
  return fault.substr(0, fault.find("; last read"));
}

void expect_same_json(const std::string& text, const std::string& padding = {}) {
  SCOPED_TRACE(text);
  const JsonReading wanted = expected_json(text);
  JsonReading found = read_json(padding + text, {{}, kept_keys, kept_whole_keys});
  if (!wanted.fault.empty() && found.records.size() > wanted.records.size()) {
    found.records.resize(wanted.records.size());  // those of the faulty value came before its end
  }
  EXPECT_EQ(found.records, wanted.records);
  EXPECT_EQ(reason_of(found.fault), reason_of(wanted.fault));
  const bool has_line = !wanted.fault.empty() && wanted.fault.find("overflow") == std::string::npos;
  EXPECT_EQ(found.line, has_line ? wanted.line : found.line);
}

/// JsonTexts of JSON at random, with all that the grammar has.
class JsonTexts {
 public:
  explicit JsonTexts(unsigned seed) : random_{seed} {}

  std::string value(int depth = 0) {
    switch (below(depth < 5 ? 8 : 4)) {
      case 0:
        return pick({"true", "false", "null"});
      case 1:
        return pick({"0", "-0", "17", "-1", "1785715200.123", "1e5", "-2.5E-3", "1E+2",
                     "9223372036854775808", "-9223372036854775809", "18446744073709551616",
                     "1e-400", "4.9e-324", "0.1000000000000000055511151231257827", "1e308"});
      case 2:
      case 3:
        return string();
      case 4:
      case 5:
        return list("[", "]", depth, false);
      default:
        return list("{", "}", depth, true);
    }
  }
  /// One byte is another, or the text ends there.
  std::string damaged(std::string text) {
    const std::size_t at = below(text.size());
    constexpr std::string_view bytes = "\"\\{}[]:,0e-. \nut\x01\x7F\x80\xC3\xED\xF4\xFF";
    const std::size_t byte = below(bytes.size() + 2);
    if (byte >= bytes.size()) return text.substr(0, at);
    text[at] = bytes[byte];
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::string pick(std::initializer_list<const char*> all) {
    return *(all.begin() + below(all.size()));
  }
  std::string blank() { return pick({"", "", " ", "\n", "\r\n\t", "\n          "}); }
  std::string string() {
    std::string text = "\"";
    for (std::size_t parts = below(6); parts > 0; --parts) {
      text += pick({"plain", "a longer text without escapes", R"(\")", R"(\\)", R"(\/\b\f\n\r\t)",
                    R"(\u0041)", R"(\u00e9\u20AC)", R"(\ud83D\uDE00)", R"(\u0000)", "\u00E9",
                    "\u20AC", "\U0001F600", "\x7F"});
    }
    return text + '"';
  }
  std::string key() {
    switch (below(3)) {
      case 0:
        return json(kept_keys[below(kept_keys.size())]).dump();
      case 1:
        return json(kept_whole_keys[below(kept_whole_keys.size())]).dump(-1, ' ', true);
      default:
        return json(skipped_keys[below(skipped_keys.size())]).dump();
    }
  }
  std::string list(const char* open, const char* close, int depth, bool has_keys) {
    std::string text = open + blank();
    const std::size_t size = below(4);
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) text += blank() + ',' + blank();
      if (has_keys) text += key() + blank() + ':' + blank();
      text += value(depth + 1);
    }
    return text + blank() + close;
  }

  std::minstd_rand random_;
};

TEST(JsonRecords, AreWhatNlohmannReads) {
  JsonTexts texts{1};
  for (int i = 0; i < 3000; ++i) expect_same_json(texts.value());
  for (int i = 0; i < 300; ++i) {
    const std::string first = texts.value(), second = texts.value();
    expect_same_json(first + "\n" + second);
    expect_same_json(first + ",\n" + second);
  }
}

TEST(JsonRecords, RefuseWhatNlohmannRefuses) {
  JsonTexts texts{2};
  for (int i = 0; i < 20'000; ++i) expect_same_json(texts.damaged(texts.value()));
  for (const char* text : {"[1e400]",
                           R"({"c":-1e400})",
                           "[01]",
                           "[1.]",
                           "[-]",
                           "[.5]",
                           "[1e]",
                           "[+1]",
                           "tru",
                           "[nul]",
                           "\"\\x\"",
                           R"("\ud800")",
                           R"("\udc00")",
                           R"("\ud800\u0041")",
                           R"("\u12")",
                           "\"a\nb\"",
                           "\"\xC0\xAF\"",
                           "\"\xED\xA0\x80\"",
                           "\"\xF4\x90\x80\x80\"",
                           "{\"a\" 1\n}",
                           "{1:2}",
                           "[1 2]",
                           "{\"a\":1,}",
                           "[1,]",
                           "[",
                           "{\"a\"",
                           "]",
                           "[}",
                           "/* no */ 1",
                           "'a'",
                           "\xEF\xBB{}"}) {
    expect_same_json(text);
  }
  expect_same_json(std::string{"[1,\0]", 5});
  expect_same_json(std::string{"\"a\0b\"", 5});
}

TEST(JsonRecords, AreTheSameWhereverTheBufferEnds) {
  JsonTexts texts{3};
  for (int i = 0; i < 8; ++i) {
    std::string text = texts.value();
    if (i % 2 == 1) text = texts.damaged(text);
    for (std::size_t before = 0; before <= text.size(); ++before) {
      expect_same_json(text, std::string((std::size_t{1} << 16) - before, ' '));
    }
  }
  const std::string huge(1'000'000, 'x');  // longer than the buffer
  expect_same_json(R"({"c":")" + huge + R"(","a":")" + huge + "\\n\"}");
  expect_same_json(R"({"c":")" + huge);
}

TEST(JsonRecords, MayBeginWithAByteOrderMark) {
  const JsonReading found =
      read_json("\xEF\xBB\xBF{\"a\":1}\n\xEF\xBB\xBF{\"a\":2}\n", {{}, kept_keys, {}});
  EXPECT_EQ(found.records, (std::vector<json>{{{"a", 1}}, {{"a", 2}}}));
}

TEST(JsonRecords, AreNotNestedWithoutEnd) {
  const auto nested = [](std::size_t depth) {
    return read_json("{\"c\":" + std::string(depth, '[') + std::string(depth, ']') + "}\n", {});
  };
  EXPECT_EQ(nested(199).fault, "");
  EXPECT_EQ(nested(200).fault, "this is not JSON: more than 200 brackets inside each other");
  EXPECT_EQ(nested(1'000'000).fault, nested(200).fault);
}

TEST(JsonRecords, KeepPairsApart) {
  HistoryInput input{"file.json",
                     std::make_unique<std::istringstream>(
                         R"({"values": [[9, 9]], "values": [[1, "2.5"], [-3, 4e2], [5, "NaN"],
      ["1", 2], [1], [], [1, 2, 3], 7, "8", null, {"values": [[1, 2]]}, [[1, 2], 3], [1, "x"],
      [1, {"a": 2}], [6, "+7"]], "c": {"values": [[1, 2]]}}
      {"values": 5})")};
  std::vector<std::string> good;
  std::vector<std::size_t> sizes;
  for_each_record(input, {{}, kept_keys, {}, "values"}, [&](const JsonRecord& record) {
    sizes.push_back(record.pairs.size());
    for (const JsonPair& pair : record.pairs) {
      if (!pair.is_good) continue;
      std::ostringstream text;
      text << pair.first << ' ' << pair.second;
      good.push_back(text.str());
    }
    EXPECT_EQ(record.value.contains("values"), true);
  });
  EXPECT_EQ(good, (std::vector<std::string>{"1 2.5", "-3 400", "5 nan", "6 7"}));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{15, 0}));
}

TEST(JsonInstants, WithZAreThoseWithAnOffsetOfZero) {
  std::minstd_rand random{4};
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "2026-08-03T00:00:00";
    if (i % 3 == 0) text += std::string{".0123456789"}.substr(0, random() % 12);
    for (int changes = i % 4; changes > 0; --changes) {
      text[random() % text.size()] = "0123456789-:T Zx"[random() % 16];
    }
    const auto at = instant_of(text + "-00:00");  // a form that few files have
    EXPECT_EQ(instant_of(text + 'Z'), at) << text;
    EXPECT_EQ(instant_of(text + "+00:00"), at) << text;
  }
  EXPECT_EQ(instant_of("1970-01-01T00:00:00Z"), policy::Instant{});
  EXPECT_EQ(instant_of("2028-02-29T23:59:59Z"), instant_of_seconds(1835481599));
  for (const char* none : {"2026-02-29T00:00:00Z", "2026-08-03T24:00:00Z", "2026-08-03T00:60:00Z",
                           "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z"}) {
    EXPECT_FALSE(instant_of(none)) << none;
  }
}

TEST(JsonRecords, AreFoundInsideTexts) {
  const JsonShape shape{{}, kept_keys, kept_whole_keys};
  EXPECT_EQ(object_of_text(R"( {"a": {"c": 1, "a": 2}, "c": 3} )", shape).dump(),
            R"({"a":{"a":2}})");
  for (const char* text : {"", "[]", "1", "{", "{} {}", "{}x", R"({"a":})"}) {
    EXPECT_TRUE(object_of_text(text, shape).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace reeve::scenarios

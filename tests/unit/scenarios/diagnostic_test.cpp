// Messages about wrong input look as the product promises, whatever bytes the input holds.
#include "scenarios/text/diagnostic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/text/source.hpp"
#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace diagnostic_test {

Diagnostic diagnostic_in(const std::string& text, std::string_view part,
                         std::string label = "here") {
  const auto source = SourceFile::from_text("weekend.jsonc", text);
  const std::size_t at = source->text().find(part);
  return source->diagnose(at, part.size(), "E0203", "wrong", std::move(label));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::size_t shown_width(const std::string& line) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < line.size();) {
    const Utf8Character character = decode_utf8(line, at);
    width += width_of(character.code);
    at += character.bytes;
  }
  return width;
}

TEST(Render, MatchesTheProductDocumentByteForByte) {
  const std::string line = R"(      "instance_type": "ml.demo.8gpuu", "instances": 8,)";
  const auto source = SourceFile::from_text("weekend.jsonc", std::string(35, '\n') + line + "\n");
  const std::size_t at = source->text().find("\"ml.demo");
  std::vector<Diagnostic> all;
  all.push_back(source
                    ->diagnose(at, 15, "E0203", "unknown instance type \"ml.demo.8gpuu\"",
                               "not in the price book")
                    .with_help("did you mean \"ml.demo.8gpu\"?"));
  Diagnostic second;
  second.severity = Severity::warning;
  second.code = "W0412";
  second.file = "rules.jsonc";
  second.position = {9, 20, 2};
  second.message = "threshold 80 is compared with a sum over 8 GPUs (0..800)";
  all.push_back(second.with_note(
      "this stops the job only below 10 % per GPU. For 80 % write 640, or \"scale\": \"per_gpu\""));
  Diagnostic third;
  third.severity = Severity::warning;
  third.code = "W0413";
  third.message = "alarm is not removed on MaxRuntimeExceeded, MaxWaitTimeExceeded";
  all.push_back(third.with_note(
      "each such job leaves an orphaned alarm ($0.10 a month). `reeve explain W0413`"));
  EXPECT_EQ(render(all) + render_summary(all, 3),
            R"(error[E0203]: unknown instance type "ml.demo.8gpuu"
  --> weekend.jsonc:36:24
   |
36 |       "instance_type": "ml.demo.8gpuu", "instances": 8,
   |                        ^^^^^^^^^^^^^^^ not in the price book
   = help: did you mean "ml.demo.8gpu"?
warning[W0412]: threshold 80 is compared with a sum over 8 GPUs (0..800)
  --> rules.jsonc:9:20
   = note: this stops the job only below 10 % per GPU. For 80 % write 640, or "scale": "per_gpu"
warning[W0413]: alarm is not removed on MaxRuntimeExceeded, MaxWaitTimeExceeded
   = note: each such job leaves an orphaned alarm ($0.10 a month). `reeve explain W0413`
1 error, 2 warnings                                                       exit 3
)");
}

TEST(Render, ColourOnlyAddsEscapes) {
  const Diagnostic diagnostic = diagnostic_in("{ \"a\": bad }", "bad").with_help("write \"good\"");
  const std::string plain = render(diagnostic);
  std::string coloured = render(diagnostic, {true, 100});
  EXPECT_NE(coloured.find("\x1b[1;31merror[E0203]"), coloured.npos);
  EXPECT_EQ(plain.find('\x1b'), plain.npos);
  for (std::size_t at = coloured.find('\x1b'); at != coloured.npos; at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plain);
}

TEST(Render, CutsALongLineAroundTheCaret) {
  const std::string far = std::string(5'000'000, 'x') + "HERE" + std::string(5'000'000, 'y');
  const std::string drawn = render(diagnostic_in(far, "HERE"));
  EXPECT_LT(drawn.size(), 500u);
  const auto lines = lines_of(drawn);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1], "  --> weekend.jsonc:1:5000001");
  EXPECT_NE(lines[3].find("…x"), std::string::npos);
  EXPECT_TRUE(lines[3].ends_with("y…")) << lines[3];
  EXPECT_LE(shown_width(lines[3]), 5 + 100u);
  const std::size_t caret = lines[4].find('^');
  EXPECT_EQ(caret, shown_width(lines[3].substr(0, lines[3].find("HERE"))));
  EXPECT_NE(lines[4].find("^^^^ here"), std::string::npos);
}

TEST(Render, CutsAHugeTokenToo) {
  const std::string huge = "[\"" + std::string(3'000'000, 'z') + "\"]";
  const std::string drawn = render(diagnostic_in(huge, huge.substr(1, huge.size() - 2)));
  EXPECT_LT(drawn.size(), 600u);
  EXPECT_LE(shown_width(lines_of(drawn)[3]), 105u);
}

TEST(Render, CaretsStandUnderWideAndCombiningCharacters) {
  for (const std::string before : {"é", "e\u0301", "漢字", "🚀", "\tx", "naïve \u202E"}) {
    const auto lines = lines_of(render(diagnostic_in("{ \"" + before + "\": BAD }", "BAD")));
    const std::size_t caret = lines[4].find('^');
    EXPECT_EQ(caret, shown_width(lines[3].substr(0, lines[3].find("BAD")))) << lines[3];
  }
  const auto wide = lines_of(render(diagnostic_in("[\"漢字\"]", "\"漢字\"")));
  EXPECT_NE(wide[4].find("^^^^^^ here"), std::string::npos) << wide[4];
}

TEST(Render, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(diagnostic_in("{ \"né漢\": BAD }", "BAD").position, (Position{1, 10, 3}));
}

TEST(Render, NothingOfTheInputReachesTheTerminalRaw) {
  const std::string evil = std::string{"a\x1b[2J\x07\r\0b\xFF\xC3 \u202E\u0085z", 18};
  Diagnostic diagnostic = diagnose_line(evil, 1, evil, 2, 3);
  diagnostic.message = diagnostic.label = diagnostic.help = diagnostic.code = evil;
  diagnostic.notes = {evil};
  for (const std::string& text : {render(diagnostic), std::string{InputError{diagnostic}.what()},
                                  diagnostic_json(diagnostic).dump(), in_quotes(evil)}) {
    EXPECT_EQ(find_invalid_utf8(text), text.npos);
    EXPECT_EQ(text.find("\u202E"), text.npos);
    EXPECT_EQ(text.find("\u0085"), text.npos);
    for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
  EXPECT_NE(render(diagnostic).find("\u241B[2J"), std::string::npos);  // a visible escape
}

TEST(Render, MoreLinesOfHelpAreIndented) {
  Diagnostic diagnostic;
  diagnostic.message = "m";
  EXPECT_EQ(render(diagnostic.with_help("one\ntwo")), "error: m\n   = help: one\n           two\n");
}

TEST(Json, HoldsEverythingPrinted) {
  Diagnostic diagnostic = diagnostic_in("{ \"a\": BAD }", "BAD").with_help("h").with_note("n");
  diagnostic.pointer = "/a";
  EXPECT_EQ(
      diagnostic_json(diagnostic).dump(),
      R"({"severity":"error","code":"E0203","file":"weekend.jsonc","line":1,"column":8,)"
      R"("length":3,"pointer":"/a","message":"wrong","label":"here","notes":["n"],"help":"h"})");
  EXPECT_EQ(diagnostic_json(Diagnostic{}).dump(), R"({"severity":"error"})");
}

TEST(InputErrorText, NamesThePlace) {
  EXPECT_STREQ(InputError{diagnostic_in("[BAD]", "BAD")}.what(),
               "weekend.jsonc:1:2: error[E0203]: wrong");
}

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> names{"ml.demo.8gpu", "ml.demo.1gpu", "ml.p4d.24xlarge", "submit",
                                       "checkpoint",   "instances",    "instance_type"};
  EXPECT_EQ(nearest("ml.demo.8gpuu", names), "ml.demo.8gpu");
  EXPECT_EQ(nearest("sumbit", names), "submit");
  EXPECT_EQ(nearest("Submit", names), "submit");
  EXPECT_EQ(nearest("instance-type", names), "instance_type");
  EXPECT_EQ(nearest("check", names), "checkpoint");  // the only one that begins so
  EXPECT_EQ(nearest("ml.", names), std::nullopt);    // three begin so
  EXPECT_EQ(nearest("zebra", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest("b", std::vector<std::string>{"a"}), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'a'), names), std::nullopt);
}

// Of names as near as each other: the one that begins so, or has the same letters.
TEST(Nearest, IsTheOneOfTheSameLetters) {
  const std::vector<std::string> names{"!=", "<", "<=", "==", ">", ">="};
  EXPECT_EQ(nearest("=", names), "==");
  EXPECT_EQ(nearest("=>", names), ">=");
  EXPECT_EQ(nearest("=<", names), "<=");
}

TEST(Nearest, DoesNotDependOnTheOrderOfTheCandidates) {
  std::vector<std::string> names{"cat", "bat", "hat", "chat", "at"};
  std::sort(names.begin(), names.end());
  do {
    EXPECT_EQ(nearest("xat", names), "bat");
  } while (std::next_permutation(names.begin(), names.end()));
}

TEST(Nearest, EveryNameWithOneSlipIsFound) {
  const std::string name = "observed_wait";
  const std::vector<std::string> names{name, "submit", "duration"};
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::string dropped = name;
    dropped.erase(i, 1);
    EXPECT_EQ(nearest(dropped, names), name);
    std::string doubled = name;
    doubled.insert(i, 1, name[i]);
    EXPECT_EQ(nearest(doubled, names), name);
    std::string replaced = name;
    replaced[i] = '#';
    EXPECT_EQ(nearest(replaced, names), name);
    std::string swapped = name;
    std::swap(swapped[i], swapped[(i + 1) % name.size()]);
    EXPECT_EQ(nearest(swapped, names), name);
  }
}

TEST(DidYouMean, ListsFewNamesWhenNoneIsNear) {
  EXPECT_EQ(did_you_mean("ffio", std::vector<std::string>{"fifo", "sjf"}),
            "did you mean \"fifo\"?");
  EXPECT_EQ(did_you_mean("zzz", std::vector<std::string>{"fifo", "sjf"}),
            "one of \"fifo\", \"sjf\"");
  EXPECT_EQ(did_you_mean("zzz", std::vector<std::string>(100, "name")), "");
}

}  // namespace diagnostic_test
}  // namespace reeve::scenarios

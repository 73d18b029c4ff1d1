#include "tests/tidy/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tidy/source_text.hpp"

namespace reeve::tidy {

namespace {

/// The rules that these files break, each once; what merely is not there is another test's matter.
std::vector<std::string> broken(const std::vector<File>& files) {
  std::vector<std::string> rules;
  for (const Finding& finding : check(files)) {
    if (finding.rule != "covers-nothing") rules.push_back(finding.rule);
  }
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

using Rules = std::vector<std::string>;

std::string in_namespace(const std::string& name, const std::string& body) {
  return "namespace " + name + " {\n" + body + "\n}\n";
}

std::string header(const std::string& body) {
  return "// What this is for.\n#pragma once\n" + in_namespace("reeve::host", body);
}

std::string function_of(int lines) {
  std::string text = "int f(int a,\n      int b) {\n";  // two lines, and one for the brace
  for (int i = 3; i < lines; ++i) text += "  a += b;\n";
  return text + "}\n";
}

/// One breach of one rule, and the nearest text that is none.
struct Case {
  std::string rule;
  File breach;
  File fine;
};

const std::vector<Case>& cases() {
  static const std::string host = "reeve::host";
  static const std::vector<Case> all{
      {"clocks",
       {"host/a.cpp", in_namespace(host, "auto t = std::chrono::system_clock::now();")},
       {"app/a.cpp", in_namespace("reeve::app", "auto t = std::chrono::system_clock::now();")}},
      {"draws",
       {"models/a.cpp", in_namespace("reeve::models", "std::normal_distribution<double> d;")},
       {"models/a.cpp", in_namespace("reeve::models", "// std::normal_distribution<double> d;")}},
      {"order",
       {"report/a.cpp", in_namespace("reeve::report", "std::unordered_map<int, int> m;")},
       {"report/a.cpp", in_namespace("reeve::report", "std::map<int, int> m;")}},
      {"worlds",
       {"host/a.cpp", in_namespace(host, "void f() { if (world.simulated) g(); }")},
       {"models/a.cpp", in_namespace("reeve::models", "void f() { if (simulated) g(); }")}},
      {"parent-include",
       {"tests/a.cpp", "#include \"../b.hpp\"\n"},
       {"tests/a.cpp", "const char* s = R\"(\n#include \"../b.hpp\"\n)\";\n"}},
      {"layers",
       {"host/a.cpp", "#include \"models/b.hpp\"\n" + in_namespace(host, "")},
       {"host/a.cpp", "#include \"host/b.hpp\"\n#include <vector>\n" + in_namespace(host, "")}},
      {"command-line-library",
       {"app/command.hpp", "// What this is for.\n#pragma once\n#include <CLI/CLI.hpp>\n" +
                               in_namespace("reeve::app", "")},
       {"app/command_parser.cpp", "#include <CLI/CLI.hpp>\n" + in_namespace("reeve::app", "")}},
      {"header-comment",
       {"host/a.hpp", "#pragma once\n" + in_namespace(host, "")},
       {"host/a.hpp",
        "// One sentence\n// over two lines.\n#pragma once\n" + in_namespace(host, "")}},
      {"pragma-once",
       {"host/a.hpp", "// What this is for.\n// #pragma once\n" + in_namespace(host, "")},
       {"host/a.hpp", header("")}},
      {"namespace",
       {"host/a.cpp", in_namespace("reeve::hosts", "")},
       {"host/a.cpp", in_namespace("reeve::host::detail", "")}},
      {"units",
       {"host/a.hpp", header("void wait(double seconds);")},
       {"host/a.hpp", header("void wait(Duration seconds, double calls_per_s);")}},
      {"columns",
       {"cmake/a.cmake", std::string(101, 'x') + "\n"},
       {"cmake/a.cmake", std::string(98, 'x') + "\xC3\x97\xC3\x97\n"}},
      {"function-length",
       {"host/a.cpp", in_namespace(host, function_of(70))},
       {"host/a.cpp", in_namespace(host, function_of(69) + function_of(69))}},
      {"file-name",
       {"host/journal_utils.cpp", in_namespace(host, "")},
       {"host/commonplace.cpp", in_namespace(host, "")}},
      {"row-number",
       {"tests/scenarios/f12-every-event-twice.jsonc", "{}\n"},
       {"tests/scenarios/every-event-twice.jsonc", "// F12: each event comes twice.\n{}\n"}},
      {"rule-name",
       {"scenarios/a.cpp",
        in_namespace("reeve::scenarios", "bool b = seat.options.flag(\"alarms\");")},
       {"scenarios/a.cpp",
        in_namespace("reeve::scenarios", "bool b = seat.options.flag(known::alarms);")}},
      {"machine-path",
       {"README.md", std::string{"see /"} + "work/main\n"},
       {"README.md", "see https://example.com/" + std::string{"work/main\n"}}},
      {"plain-language",
       {"docs/how-to/a.md", "The job is restarted, and nobody\nreads it.\n"},
       {"docs/reference/a.md", "The job is restarted, and nobody\nreads it.\n"}},
  };
  return all;
}

TEST(Rules, EachReportsItsBreachAndNothingElse) {
  for (const Case& each : cases()) {
    EXPECT_EQ(broken({each.breach}), Rules{each.rule}) << each.rule << "\n" << each.breach.text;
    EXPECT_EQ(broken({each.fine}), Rules{}) << each.rule << "\n" << each.fine.text;
  }
}

TEST(Rules, EachHasACaseAbove) {
  Rules tested;
  for (const Case& each : cases()) tested.push_back(each.rule);
  const auto names = rule_names();
  EXPECT_EQ(tested, Rules(names.begin(), names.end()));
}

TEST(Rules, ARuleThatCoversNoFileIsReported) {
  const std::vector<Finding> findings = check({});
  for (const std::string_view name : rule_names()) {
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.rule == "covers-nothing" && finding.message.starts_with(name);
    })) << name;
  }
}

TEST(Rules, AFolderThatIsGoneIsReported) {
  const std::vector<Finding> findings = check({});
  for (const std::string_view folder :
       {"policies/api", "policies", "host", "sim", "models", "models/fleet", "scenarios/text",
        "scenarios/records", "scenarios/load", "scenarios/lints", "scenarios/exchange", "scenarios",
        "experiments", "experiments/explain", "report", "app"}) {
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.rule == "covers-nothing" && finding.path == folder;
    })) << folder;
  }
}

TEST(Rules, AnExcuseNeedsItsRuleAndAReason) {
  const auto with = [](const std::string& comment) {
    return std::vector<File>{
        {"host/a.cpp", in_namespace("reeve::host", "std::unordered_set<int> s;  // " + comment)}};
  };
  EXPECT_EQ(broken(with("tidy: allow order: never iterated")), Rules{});
  EXPECT_EQ(broken(with("tidy: allow order: ")), Rules{"order"});
  EXPECT_EQ(broken(with("tidy: allow order")), Rules{"order"});
  EXPECT_EQ(broken(with("tidy: allow clocks: never iterated")), Rules{"order"});
}

TEST(PlainLanguage, ReadsProseAloneAndCountsLines) {
  const auto found = [](const std::string& text) {
    std::vector<std::string> all;
    for (const Dialect& each : dialect_in(text)) {
      all.push_back(std::to_string(each.line) + " " + std::string{each.phrase});
    }
    return all;
  };
  using Found = std::vector<std::string>;
  EXPECT_EQ(found("# A heading\n\nIt runs in\nvain. The LUCK of jobs.\n"),
            (Found{"3 in vain", "4 luck"}));
  EXPECT_EQ(found("| a | whose luck |\n* nobody's job\n"), (Found{"1 luck", "2 nobody"}));
  EXPECT_EQ(found("```\nluck\n```\n`luck` and [a page](news.md) of a newsletter\n"), Found{});
  EXPECT_EQ(found("Rules are state machines. Fleets have machines.\n"), Found{"1 machines"});
  EXPECT_EQ(found("The start-up of a job that is over\n"), (Found{"1 start-up", "1 is over"}));
}

TEST(PlainLanguage, CoversCommentsOfHeaders) {
  const auto breaks = [](const std::string& path, const std::string& body) {
    return broken({{path, header(body)}}) == Rules{"plain-language"};
  };
  EXPECT_TRUE(breaks("host/a.hpp", "int nobody = 0;  ///< so many\n"));
  EXPECT_TRUE(breaks("host/a.hpp", "/// A job that stands\n/// still.\n"));
  EXPECT_FALSE(breaks("host/a.hpp", "int nobody = f(\"// luck\");  ///< see `luck`\n"));
  EXPECT_FALSE(breaks("host/a.cpp", "/// So many.\n"));
  EXPECT_TRUE(breaks("host/deeper/a.hpp", "/// So many.\n"));
  EXPECT_FALSE(breaks("tests/unit/a.hpp", "/// So many.\n"));
}

TEST(PlainLanguage, SentencesEndAtTheirStopsAndWithTheirParagraph) {
  const auto lengths = [](const std::string& text) { return sentence_lengths(text); };
  using Lengths = std::vector<std::size_t>;
  EXPECT_EQ(lengths("One two three. Four five six\nseven!\n\nEight nine ten\n"),
            (Lengths{3, 4, 3}));
  EXPECT_EQ(lengths("1. **Cost.** It is $3.50 now.\n2. See `a b c` of a.csv.\n"), (Lengths{5, 5}));
  EXPECT_EQ(lengths("# A long heading of six words\n| a | table with some words |\n"), Lengths{});
  EXPECT_EQ(lengths("See [the page](a.md) (an example).\n* One two three\n* Four five six\n"),
            (Lengths{5, 3, 3}));
}

TEST(PlainLanguage, LongSentencesOfAllPagesTogetherAreReported) {
  const auto page = [](const std::string& name, std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += "word ";
    return File{"docs/" + name, text + ".\n"};
  };
  EXPECT_EQ(broken({page("a.md", 16), page("b.md", 16)}), Rules{});
  EXPECT_EQ(broken({page("a.md", 17)}), Rules{"plain-language"});
  EXPECT_EQ(broken({page("a.md", 5), page("b.md", 5), page("c.md", 31)}), Rules{"plain-language"});
  EXPECT_EQ(broken({page("a.md", 5), page("b.md", 5), page("c.md", 30)}), Rules{});
  const std::vector<File> pages{page("a.md", 5), page("b.md", 7), page("c.md", 30)};
  EXPECT_EQ(sentence_lengths_of(pages).sentences, 3u);
  EXPECT_EQ(sentence_lengths_of(pages).median, 7u);
  EXPECT_EQ(sentence_lengths_of(pages).percentile_95, 30u);
}

TEST(Layers, HoldForEveryFolder) {
  const auto breaks = [](const std::string& folder, const std::string& space,
                         const std::string& include) {
    return broken({{folder + "/a.cpp", "#include " + include + "\n" + in_namespace(space, "")}}) ==
           Rules{"layers"};
  };
  EXPECT_TRUE(breaks("policies/api/include", "reeve::policy", "\"host/ports.hpp\""));
  EXPECT_TRUE(breaks("policies/governance", "reeve::policies", "\"host/ports.hpp\""));
  EXPECT_TRUE(breaks("policies/governance", "reeve::policies", "<fmt/format.h>"));
  EXPECT_TRUE(breaks("policies/governance", "reeve::policies", "<unistd.h>"));
  EXPECT_FALSE(breaks("policies/governance", "reeve::policies", "\"idle_reaper.hpp\""));
  EXPECT_FALSE(breaks("policies/governance", "reeve::policies", "<reeve/policy/policy.hpp>"));
  EXPECT_TRUE(breaks("host", "reeve::host", "\"policies/registry.hpp\""));
  EXPECT_TRUE(breaks("sim", "reeve::sim", "<reeve/policy/units.hpp>"));
  EXPECT_TRUE(breaks("models", "reeve::models", "\"host/policy_host.hpp\""));
  EXPECT_FALSE(breaks("models", "reeve::models", "\"host/ports.hpp\""));
  EXPECT_TRUE(breaks("scenarios", "reeve::scenarios", "\"experiments/paired.hpp\""));
  EXPECT_TRUE(breaks("experiments", "reeve::experiments", "\"report/page.hpp\""));
  EXPECT_TRUE(breaks("report", "reeve::report", "\"experiments/paired.hpp\""));
  EXPECT_TRUE(breaks("live", "reeve::live", "\"models/fleet/fleet.hpp\""));
  EXPECT_FALSE(breaks("app", "reeve::app", "\"report/page.hpp\""));
  EXPECT_TRUE(breaks("elsewhere", "reeve::elsewhere", "<vector>"));
}

TEST(SourceText, CodeKeepsItsPlacesAndLosesCommentsAndLiterals) {
  EXPECT_EQ(code_of("a \"b\\\"c\" d // e\nf"), "a \"    \" d     \nf");
  EXPECT_EQ(code_of("a /* b\nc */ d"), "a     \n     d");
  EXPECT_EQ(code_of("1'000 + 'x'"), "1'000 + ' '");
  EXPECT_EQ(code_of("R\"x(a)\" b)x\" c"), "R\"         \" c");
}

TEST(SourceText, FunctionsAreMeasuredFromDeclarationToBrace) {
  const auto functions = functions_of(
      "namespace n {\n"           // 1
      "struct S {\n"              // 2
      "  S(int a,\n"              // 3
      "    int b)\n"              // 4
      "      : a_{a}, b_(b) {\n"  // 5
      "    auto f = [] {\n"       // 6
      "      if (x) { y(); }\n"   // 7
      "    };\n"                  // 8
      "  }\n"                     // 9
      "  int a_ = int{3};\n"      // 10
      "};\n"                      // 11
      "int g() { return 1; }\n"   // 12
      "}\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].first_line, 3u);
  EXPECT_EQ(functions[0].last_line, 9u);
  EXPECT_EQ(functions[1].first_line, 12u);
  EXPECT_EQ(functions[1].last_line, 12u);
}

}  // namespace

}  // namespace reeve::tidy

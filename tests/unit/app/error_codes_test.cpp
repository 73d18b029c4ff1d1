#include "app/docs/error_codes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "scenarios/lints/lint.hpp"

namespace reeve::app {
namespace error_codes_test {

/// Every code that the sources of `folder` whose names begin so give to a finding; rows of tables,
/// which begin their lines, explain codes.
std::set<std::string> codes_used_in(const std::filesystem::path& folder,
                                    std::string_view begin = {}) {
  static const std::regex row{R"re((\n *\{+|also\()"[EW][0-9]{4}")re"};
  static const std::regex code{"\"([EW][0-9]{4})\""};
  std::set<std::string> codes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    if (!entry.path().filename().string().starts_with(begin)) continue;
    std::ifstream in{entry.path()};
    const std::string text =
        std::regex_replace(std::string{std::istreambuf_iterator<char>{in}, {}}, row, "");
    for (std::sregex_iterator found{text.begin(), text.end(), code}, end; found != end; ++found) {
      codes.insert((*found)[1]);
    }
  }
  return codes;
}

TEST(ErrorCodes, EachHasOneMeaning) {
  std::set<std::string_view> seen;
  for (const ErrorCode& code : error_codes()) {
    EXPECT_TRUE(seen.insert(code.code).second) << code.code;
  }
}

TEST(ErrorCodes, EveryCodeALoaderUsesIsExplainedAndNoOther) {
  const std::filesystem::path source{REEVE_SOURCE_DIR};
  std::set<std::string> used = codes_used_in(source / "scenarios");
  for (const char* file : {"plugins.", "fit.", "observed_history.", "fetched_history."}) {
    used.merge(codes_used_in(source / "app", file));
  }
  used.merge(codes_used_in(source / "policies"));  // defects of articles
  ASSERT_GT(used.size(), 50U);
  std::set<std::string> explained;
  for (const ErrorCode& code : error_codes()) explained.emplace(code.code);
  for (const std::string& code : used) EXPECT_TRUE(explained.contains(code)) << code;
  for (const std::string& code : explained) EXPECT_TRUE(used.contains(code)) << code;
}

TEST(ErrorCodes, EachSaysWhatIsWrongAndWhatToWrite) {
  for (const ErrorCode& code : error_codes()) {
    EXPECT_FALSE(code.title.empty()) << code.code;
    EXPECT_TRUE(code.text.ends_with('.') || code.text.ends_with('?')) << code.code;
    EXPECT_FALSE(code.wrong.empty()) << code.code;
  }
  EXPECT_EQ(find_error_code("E9999"), nullptr);
}

TEST(ErrorCodes, EachLintIsExplained) {
  for (const scenarios::Lint& lint : scenarios::all_lints()) {
    EXPECT_NE(find_error_code(lint.code.code), nullptr) << lint.code.code;
  }
}

}  // namespace error_codes_test
}  // namespace reeve::app

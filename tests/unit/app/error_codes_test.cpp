#include "app/error_codes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>

namespace reeve::app {
namespace error_codes_test {

/// Every code that the sources of `folder` whose names begin so give to a finding.
std::set<std::string> codes_used_in(const std::filesystem::path& folder,
                                    std::string_view begin = {}) {
  static const std::regex code{"\"([EW][0-9]{4})\""};
  std::set<std::string> codes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    if (!entry.path().filename().string().starts_with(begin)) continue;
    std::ifstream in{entry.path()};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
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
  used.merge(codes_used_in(source / "app", "plugins."));
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

}  // namespace error_codes_test
}  // namespace reeve::app

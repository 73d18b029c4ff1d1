// Files people name are read whole, or refused with the reason and the place.
#include "scenarios/text/source.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace source_test {

namespace fs = std::filesystem;

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() /
            ("reeve-source-" + std::string{test->name()} + "-" + std::to_string(getpid()));
    fs::create_directories(path_);
  }
  void TearDown() override { fs::remove_all(path_); }
  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream{path_ / name, std::ios::binary} << bytes;
    return path_ / name;
  }
  fs::path path_;
};

Diagnostic refusal(const fs::path& path, std::size_t limit = SourceFile::scenario_limit) {
  try {
    SourceFile::load(path, limit);
  } catch (const InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << path << " was accepted";
  return {};
}

Diagnostic refusal_of_text(const std::string& text) {
  try {
    SourceFile::from_text("t", text);
  } catch (const InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << "accepted";
  return {};
}

using SourceFolder = Folder;

TEST_F(SourceFolder, ReadsAFileAndDropsTheByteOrderMark) {
  const auto source = SourceFile::load(write("a.jsonc", "\xEF\xBB\xBF{}\n"));
  EXPECT_EQ(source->text(), "{}\n");
  EXPECT_EQ(source->position(0), (Position{1, 1, 1}));
}

TEST_F(SourceFolder, AMissingFileNamesItsNeighbour) {
  write("weekend.jsonc", "{}");
  write("other.csv", "");
  const Diagnostic found = refusal(path_ / "wekend.jsonc");
  EXPECT_EQ(found.code, "E0001");
  EXPECT_EQ(found.help, "did you mean \"" + (path_ / "weekend.jsonc").string() + "\"?");
  EXPECT_EQ(refusal(path_ / "weekend").help, found.help);
  EXPECT_NE(refusal(path_ / "no" / "a").help.find("there is no folder"), std::string::npos);
  EXPECT_EQ(refusal("").code, "E0001");
}

TEST_F(SourceFolder, RefusesWhatIsNoFile) {
  EXPECT_EQ(refusal(path_).code, "E0002");
  const fs::path loop = path_ / "loop";
  fs::create_symlink(loop, loop);
  EXPECT_EQ(refusal(loop).code, "E0003");
}

TEST_F(SourceFolder, RefusesTooLargeWithoutReading) {
  const fs::path sparse = write("sparse", "");
  fs::resize_file(sparse, std::uintmax_t{1} << 40);  // a terabyte of holes
  EXPECT_EQ(refusal(sparse).code, "E0004");
  EXPECT_EQ(refusal(write("nine", "123456789"), 8).code, "E0004");
  EXPECT_EQ(SourceFile::load(path_ / "nine", 9)->text().size(), 9u);
  EXPECT_EQ(refusal("/dev/zero", 1000).code, "E0004");
}

TEST(Source, NamesThePlaceOfNulAndOfInvalidUtf8) {
  const Diagnostic nul = refusal_of_text(std::string{"ab\nc\0d", 6});
  EXPECT_EQ(nul.code, "E0005");
  EXPECT_EQ(nul.position, (Position{2, 2, 1}));
  const Diagnostic utf8 = refusal_of_text("é\né\xC3(");
  EXPECT_EQ(utf8.code, "E0006");
  EXPECT_EQ(utf8.position, (Position{2, 2, 1}));
  EXPECT_EQ(utf8.label, "byte 0xC3");
  EXPECT_NE(refusal_of_text("\xFF\xFE{").message.find("UTF-16"), std::string::npos);
}

TEST(Source, RefusesEveryKindOfInvalidUtf8) {
  for (const std::string bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xE2\x82", "\xF0\x9F\x9A"}) {
    for (std::size_t padding = 0; padding < 17; ++padding) {
      const std::string text = std::string(padding, 'a') + bad;
      EXPECT_EQ(find_invalid_utf8(text), padding);
      EXPECT_EQ(find_invalid_utf8(text + std::string(20, 'b')), padding);
    }
  }
  for (const std::string good : {"\u007F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000",
                                 "\uFFFF", "\U00010000", "\U0010FFFF"}) {
    EXPECT_EQ(find_invalid_utf8(good), std::string::npos);
  }
}

// Lines of 3, 300,001 and 70,000 characters, of which one has two bytes.
TEST(Source, LongLinesAreMeasuredFromTheirBeginning) {
  const auto source = SourceFile::from_text(
      "t", "abc\n" + std::string(300'000, 'x') + "\u00e9\n" + std::string(70'000, 'y'));
  EXPECT_EQ(source->position(1), (Position{1, 2, 1}));
  EXPECT_EQ(source->position(4), (Position{2, 1, 1}));
  EXPECT_EQ(source->position(4 + 299'999), (Position{2, 300'000, 1}));
  EXPECT_EQ(source->position(4 + 300'002), (Position{2, 300'002, 1})) << "after the last one";
  EXPECT_EQ(source->position(4 + 300'003), (Position{3, 1, 1}));
  EXPECT_EQ(source->position(4 + 300'003 + 69'999), (Position{3, 70'000, 1}));
}

TEST(Source, LinesEndAtNewlineWithOrWithoutCarriageReturn) {
  const auto source = SourceFile::from_text("t", "ab\r\ncd\n\nef");
  EXPECT_EQ(source->position(1, 99), (Position{1, 2, 1}));  // cut at the end of the line
  EXPECT_EQ(source->position(4, 2), (Position{2, 1, 2}));
  EXPECT_EQ(source->position(7), (Position{3, 1, 1}));
  EXPECT_EQ(source->position(10), (Position{4, 3, 1}));
  EXPECT_EQ(source->position(1000), (Position{4, 3, 1}));
}

TEST(Source, PositionsAgreeWithCountingFromTheStart) {
  EXPECT_TRUE(rc::check([] {
    // Long enough to span the blocks in which line counts are kept.
    const auto pieces = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "é", "漢", "\n", "🚀x", "bcd\n"));
    std::string text = std::string(*rc::gen::inRange<std::size_t>(0, 3) * 65'536, '\n');
    const int wide = *rc::gen::inRange(0, 20'000);  // in one line, whose blocks cut characters
    for (int i = 0; i < wide; ++i) text += "漢";
    for (const std::string& piece : pieces) text += piece;
    const auto source = SourceFile::from_text("t", text);
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t at = 0; at < text.size();) {
      if (at + 50 > text.size()) RC_ASSERT(source->position(at).line == line);
      if (at + 50 > text.size()) RC_ASSERT(source->position(at).column == column);
      const Utf8Character character = decode_utf8(text, at);
      column = character.code == '\n' ? 1 : column + 1;
      line += character.code == '\n' ? 1 : 0;
      at += character.bytes;
    }
  }));
}

}  // namespace source_test
}  // namespace reeve::scenarios

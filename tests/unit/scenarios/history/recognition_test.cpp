// A file that is read as another kind: the error names its kind and the command that fits.
#include "scenarios/history/recognition.hpp"

#include <gtest/gtest.h>

#include "scenarios/history/readers.hpp"
#include "tests/unit/scenarios/history/cases.hpp"

namespace reeve::scenarios {
namespace {

using history_cases::error_of;

/// The first finding of the error that reading `file` as a kind throws; empty if it does not.
Diagnostic found_as(std::string_view kind, const std::string& file) {
  HistoryOptions options;
  options.as = kind;
  try {
    read_history({file}, options);
    return {};
  } catch (const InputError& error) {
    return error.diagnostics().front();
  }
}

std::string head_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Recognition, EachFileReadAsEachOtherKindIsNamed) {
  const auto folder = history_cases::folder_of("");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no cases in ../shared/cases/history";
  std::size_t pairs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    const std::string head = entry.is_regular_file() ? head_of(entry.path()) : std::string{};
    if (entry.path().filename() == "expected.json" || !is_recognized(head)) continue;
    const std::string file = entry.path().string();
    const HistoryReader& own = reader_of(file, head);
    for (const HistoryReader& asked : history_readers()) {
      if (asked.recognizes(head)) {
        EXPECT_NE(found_as(asked.name, file).code, "E0417") << file;
        continue;
      }
      const Diagnostic found = found_as(asked.name, file);
      EXPECT_EQ(found.code, "E0417") << file << " as " << asked.name;
      EXPECT_EQ(found.file, file);
      EXPECT_EQ(found.help, "reeve import " + std::string{own.name} + ' ' + file);
      EXPECT_NE(found.message.find(own.one_file), std::string::npos) << found.message;
      EXPECT_NE(found.message.find(asked.one_file), std::string::npos) << found.message;
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 500U);
}

TEST(Recognition, FilesOfNoExportAreNamedToo) {
  HistoryOptions options;
  options.as = "focus";
  const auto read = [&](const std::string& text) {
    return error_of([&] { history_cases::read_text(text, options); });
  };
  EXPECT_EQ(read("job_id,submit_s,duration_s\na,0,1\n"), "E0417");
  EXPECT_EQ(read("; UnixStartTime: 0\n1 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"), "E0417");
  EXPECT_EQ(read("PK\x03\x04 zip"), "E0391");
  options.as = "slurm";  // of its own kind, the reader tells what is wrong
  EXPECT_NE(read("JobID|State|Submit\n"), "E0417");
}

}  // namespace
}  // namespace reeve::scenarios

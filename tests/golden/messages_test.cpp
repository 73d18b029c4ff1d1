// Every mistake a person can make, and word for word what reeve says about it.
//
// A file of messages is about one subject: tests/rules/RULE/messages.txt about a rule,
// tests/golden/messages/SUBJECT.txt about all else.  Each case in it is
//
//     === NAME
//     the text of NAME.jsonc
//     --- FILE
//     the text of a file that the scenario names; any number of these, or none
//     --- message
//     what `reeve check NAME.jsonc` says
//
// A case whose name begins with warn_ is doubtful and not wrong.  REEVE_BLESS=1 rewrites the
// messages: read the difference before it is committed.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/load.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {
namespace messages_test {

namespace fs = std::filesystem;

bool blessing() {
  const char* bless = std::getenv("REEVE_BLESS");
  return bless != nullptr && std::string_view{bless} == "1";
}

std::string read_all(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_all(const fs::path& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}

struct NamedText {
  std::string name;
  std::string text;
};

struct Case {
  std::string name;
  std::vector<NamedText> files;  ///< the scenario first
  std::string message;
};

constexpr std::string_view case_mark = "=== ";
constexpr std::string_view part_mark = "--- ";

std::vector<Case> cases_in(const std::string& text) {
  std::vector<Case> cases;
  std::string preamble;
  std::string* part = &preamble;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(case_mark)) {
      const std::string name = line.substr(case_mark.size());
      cases.push_back({name, {{name + ".jsonc", ""}}, ""});
      part = &cases.back().files.back().text;
    } else if (line.starts_with(part_mark) && !cases.empty()) {
      const std::string name = line.substr(part_mark.size());
      if (name != "message") cases.back().files.push_back({name, ""});
      part = name == "message" ? &cases.back().message : &cases.back().files.back().text;
    } else {
      *part += line + "\n";
    }
  }
  for (Case& each : cases) {  // the blank line before the next case
    while (each.message.ends_with("\n\n")) each.message.pop_back();
  }
  return cases;
}

std::string text_of(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& each : cases) {
    if (!text.empty()) text += "\n";
    text += std::string{case_mark} + each.name + "\n" + each.files.front().text;
    for (std::size_t i = 1; i < each.files.size(); ++i) {
      text += std::string{part_mark} + each.files[i].name + "\n" + each.files[i].text;
    }
    text += std::string{part_mark} + "message\n" + each.message;
  }
  return text;
}

/// What `reeve check FILE` says of a file in the current folder.
std::string said_of(const fs::path& file) {
  try {
    const Loaded loaded = load(file);
    return render(loaded.warnings) + render_summary(loaded.warnings, 0);
  } catch (const InputError& error) {
    return render(error.diagnostics()) + render_summary(error.diagnostics(), 3);
  }
}

/// The first line that differs, with its neighbours in both texts.
std::string difference(const std::string& expected, const std::string& actual) {
  std::istringstream left{expected};
  std::istringstream right{actual};
  std::string a;
  std::string b;
  for (int line = 1;; ++line) {
    const bool more_left = static_cast<bool>(std::getline(left, a));
    const bool more_right = static_cast<bool>(std::getline(right, b));
    if (!more_left && !more_right) return "equal";
    if (more_left == more_right && a == b) continue;
    return "line " + std::to_string(line) + "\n- " + (more_left ? a : "(ends)") + "\n+ " +
           (more_right ? b : "(ends)");
  }
}

/// The current folder, so that messages hold no path of this machine; gone when the test is over.
class TemporaryFolder {
 public:
  TemporaryFolder() : before_{fs::current_path()} {
    std::string pattern = (fs::temp_directory_path() / "reeve-messages-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
    path_ = pattern;
    fs::current_path(path_);
  }
  ~TemporaryFolder() {
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  fs::path before_;
  fs::path path_;
};

std::string said_of(const Case& each) {
  const TemporaryFolder inside;
  for (const NamedText& file : each.files) {
    const fs::path path{file.name};
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    write_all(path, file.text);
  }
  return said_of(fs::path{each.files.front().name});
}

/// The files of messages by subject: those of a rule lie with its other tests.
std::map<std::string, fs::path> subjects() {
  const fs::path tests = fs::path{REEVE_SOURCE_DIR} / "tests";
  std::map<std::string, fs::path> found;
  for (const auto& entry : fs::directory_iterator{tests / "golden" / "messages"}) {
    found[entry.path().stem().string()] = entry.path();
  }
  for (const auto& entry : fs::directory_iterator{tests / "rules"}) {
    const fs::path path = entry.path() / "messages.txt";
    if (fs::exists(path)) found[entry.path().filename().string()] = path;
  }
  return found;
}

class Messages : public ::testing::TestWithParam<std::pair<const std::string, fs::path>> {};

TEST_P(Messages, AreSaidWordForWord) {
  const fs::path& path = GetParam().second;
  const std::string text = read_all(path);
  std::vector<Case> cases = cases_in(text);
  ASSERT_FALSE(cases.empty()) << path;
  for (Case& each : cases) {
    const std::string said = said_of(each);
    const bool doubtful = each.name.starts_with("warn_");
    EXPECT_NE(said.find(doubtful ? "warning[W" : "error[E"), std::string::npos)
        << each.name << ": " << said;
    if (blessing()) each.message = said;
    EXPECT_EQ(each.message, said) << each.name << ", " << difference(each.message, said)
                                  << "\nREEVE_BLESS=1 rewrites the message";
  }
  if (blessing()) {
    write_all(path, text_of(cases));
  } else {
    EXPECT_EQ(text, text_of(cases)) << "the form of a case is above in this test";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Messages, ::testing::ValuesIn(subjects()),
                         [](const auto& subject) { return subject.param.first; });

TEST(MessageFiles, EachCaseHasANameOfItsOwn) {
  std::map<std::string, fs::path> names;
  for (const auto& [subject, path] : subjects()) {
    for (const Case& each : cases_in(read_all(path))) {
      const auto [first, added] = names.emplace(each.name, path);
      EXPECT_TRUE(added) << each.name << " is in " << first->second << " and in " << path;
    }
  }
  EXPECT_GE(names.size(), 479U) << "a check that examined too little";
  std::cout << names.size() << " cases in " << subjects().size() << " files\n";
}

/// What no file of messages can hold.
class UnreadableFiles : public ::testing::Test {
 private:
  TemporaryFolder inside_;
};

std::string with_trace(const std::string& trace) {
  return R"({
  "reeve": 1,
  "prices": { "instances": { "gpu.8": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu.8", "capacity": 8 } ],
  "workload": { "trace": ")" +
         trace + "\" }\n}\n";
}

TEST_F(UnreadableFiles, ATruncatedGzip) {
  const std::string text =
      "job_id,submit_s,user,queue,nodes,gpus_per_node,gpus_total,duration_s\na,0,ada,q,1,8,8,"
      "3600\n";
  gzFile file = gzopen("trace.csv.gz", "wb");
  ASSERT_NE(file, nullptr);
  for (int i = 0; i < 100; ++i) gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  fs::resize_file("trace.csv.gz", fs::file_size("trace.csv.gz") - 9);
  write_all("scenario.jsonc", with_trace("trace.csv.gz"));
  EXPECT_EQ(said_of("scenario.jsonc"), R"(error[E0304]: the gzip data ends too early
  --> trace.csv.gz
   = help: copy the file again: it is truncated
1 error, 0 warnings                                                       exit 3
)");
}

TEST_F(UnreadableFiles, ANulByte) {
  write_all("scenario.jsonc", std::string{"{\n  \"reeve\": 1,\n  \"name\": \"a\0b\"\n}\n", 32});
  EXPECT_EQ(said_of("scenario.jsonc"), R"(error[E0005]: the file contains a NUL byte
  --> scenario.jsonc:3:13
   |
 3 |   "name": "a␀b"
   |             ^ not text from here on
1 error, 0 warnings                                                       exit 3
)");
}

TEST_F(UnreadableFiles, NotUtf8) {
  write_all("scenario.jsonc", "{\n  \"reeve\": 1,\n  \"title\": \"caf\xe9\"\n}\n");
  EXPECT_EQ(said_of("scenario.jsonc"), R"(error[E0006]: the file is not valid UTF-8
  --> scenario.jsonc:3:16
   |
 3 |   "title": "caf�"
   |                ^ byte 0xE9
   = help: save it as UTF-8
1 error, 0 warnings                                                       exit 3
)");
}

TEST_F(UnreadableFiles, ALineOf200MegabytesInAScenario) {
  write_all("scenario.jsonc", "{ \"reeve\": 1, \"title\": \"");
  fs::resize_file("scenario.jsonc", 200'000'000);
  EXPECT_EQ(said_of("scenario.jsonc"), R"(error[E0004]: the file is larger than 64 MiB
  --> scenario.jsonc
   = help: put many jobs into a CSV trace: `workload.trace`
1 error, 0 warnings                                                       exit 3
)");
}

TEST_F(UnreadableFiles, ALineOf200MegabytesInATrace) {
  {
    std::ofstream trace{"trace.csv", std::ios::binary};
    trace << "job_id,submit_s,gpus_total,duration_s\n";
    const std::string block(1'000'000, 'x');
    for (int i = 0; i < 200; ++i) trace << block;
  }
  write_all("scenario.jsonc", with_trace("trace.csv"));
  EXPECT_EQ(said_of("scenario.jsonc"), R"(error[E0307]: the line is longer than 1048576 bytes
  --> trace.csv:2:1
   |
 2 | )" + std::string(98, 'x') + R"(…
   | ^ begins here
1 error, 0 warnings                                                       exit 3
)");
}

TEST_F(UnreadableFiles, AFileThatIsNotThere) {
  write_all("no_work.jsonc", "");
  EXPECT_EQ(said_of("nowhere.jsonc"), R"(error[E0001]: there is no file "nowhere.jsonc"
  --> nowhere.jsonc
   = help: did you mean "no_work.jsonc"?
1 error, 0 warnings                                                       exit 3
)");
}

TEST_F(UnreadableFiles, AFolder) {
  fs::create_directory("scenario.jsonc");
  EXPECT_EQ(said_of("scenario.jsonc"), R"(error[E0002]: this is a folder, not a file
  --> scenario.jsonc
1 error, 0 warnings                                                       exit 3
)");
}

}  // namespace messages_test
}  // namespace reeve::scenarios

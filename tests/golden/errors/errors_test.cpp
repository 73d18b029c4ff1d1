// Every mistake a person can make, and word for word what reeve says about it.
//
// NAME.jsonc is the mistake, NAME.txt the message.  REEVE_BLESS=1 rewrites the messages: read the
// difference before it is committed.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/load.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {
namespace errors_test {

namespace fs = std::filesystem;

const fs::path folder = fs::path{REEVE_SOURCE_DIR} / "tests" / "golden" / "errors";

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

/// Runs in its own current folder, so that messages hold no path of this machine.
class Errors : public ::testing::Test {
 protected:
  void SetUp() override { fs::current_path(folder); }
  void TearDown() override { fs::current_path(before_); }

  static void check(const std::string& name, const std::string& said) {
    const fs::path golden = folder / (name + ".txt");
    if (blessing()) write_all(golden, said);
    ASSERT_TRUE(fs::exists(golden)) << name << ".txt is missing; REEVE_BLESS=1 writes it:\n"
                                    << said;
    const std::string expected = read_all(golden);
    EXPECT_EQ(expected, said) << name << ", " << difference(expected, said);
  }

 private:
  fs::path before_ = fs::current_path();
};

/// A folder that is gone when the test is over; mistakes in it are loaded from inside.
class TemporaryFolder {
 public:
  TemporaryFolder() : before_{fs::current_path()} {
    std::string pattern = (fs::temp_directory_path() / "reeve-errors-XXXXXX").string();
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

std::string with_trace(const std::string& trace) {
  return R"({
  "reeve": 1,
  "prices": { "instances": { "gpu.8": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu.8", "capacity": 8 } ],
  "workload": { "trace": ")" +
         trace + "\" }\n}\n";
}

TEST_F(Errors, EveryMistakeIsToldWordForWord) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder}) {
    if (entry.path().extension() == ".jsonc") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  ASSERT_GE(names.size(), 45U) << "a check that examined too little";
  for (const std::string& name : names) {
    const std::string said = said_of(name + ".jsonc");
    const bool doubtful = name.starts_with("warn_");
    EXPECT_NE(said.find(doubtful ? "warning[W" : "error[E"), std::string::npos) << name << said;
    check(name, said);
  }
}

TEST_F(Errors, EveryMessageHasItsMistake) {
  for (const auto& entry : fs::directory_iterator{folder}) {
    if (entry.path().extension() != ".txt") continue;
    const std::string name = entry.path().stem().string();
    if (name.starts_with("generated_")) continue;
    EXPECT_TRUE(fs::exists(folder / (name + ".jsonc"))) << name;
  }
}

TEST_F(Errors, ATruncatedGzip) {
  const std::string text = read_all(folder / "traces" / "good.csv");
  const TemporaryFolder inside;
  gzFile file = gzopen("trace.csv.gz", "wb");
  ASSERT_NE(file, nullptr);
  for (int i = 0; i < 100; ++i) gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  fs::resize_file("trace.csv.gz", fs::file_size("trace.csv.gz") - 9);
  write_all("scenario.jsonc", with_trace("trace.csv.gz"));
  check("generated_truncated_gzip", said_of("scenario.jsonc"));
}

TEST_F(Errors, ANulByte) {
  const TemporaryFolder inside;
  write_all("scenario.jsonc", std::string{"{\n  \"reeve\": 1,\n  \"name\": \"a\0b\"\n}\n", 32});
  check("generated_nul_byte", said_of("scenario.jsonc"));
}

TEST_F(Errors, NotUtf8) {
  const TemporaryFolder inside;
  write_all("scenario.jsonc", "{\n  \"reeve\": 1,\n  \"title\": \"caf\xe9\"\n}\n");
  check("generated_latin_1", said_of("scenario.jsonc"));
}

TEST_F(Errors, ALineOf200MegabytesInAScenario) {
  const TemporaryFolder inside;
  write_all("scenario.jsonc", "{ \"reeve\": 1, \"title\": \"");
  fs::resize_file("scenario.jsonc", 200'000'000);
  check("generated_long_scenario", said_of("scenario.jsonc"));
}

TEST_F(Errors, ALineOf200MegabytesInATrace) {
  const TemporaryFolder inside;
  {
    std::ofstream trace{"trace.csv", std::ios::binary};
    trace << "job_id,submit_s,gpus_total,duration_s\n";
    const std::string block(1'000'000, 'x');
    for (int i = 0; i < 200; ++i) trace << block;
  }
  write_all("scenario.jsonc", with_trace("trace.csv"));
  check("generated_long_trace", said_of("scenario.jsonc"));
}

TEST_F(Errors, AFileThatIsNotThere) {
  check("generated_no_file", said_of("nowhere.jsonc"));
}

TEST_F(Errors, AFolder) {
  const TemporaryFolder inside;
  fs::create_directory("scenario.jsonc");
  check("generated_folder", said_of("scenario.jsonc"));
}

}  // namespace errors_test
}  // namespace reeve::scenarios

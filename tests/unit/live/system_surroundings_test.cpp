#include "live/aws/system_surroundings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

TEST(SystemEnvironmentTest, ReadsVariables) {
  const SystemEnvironment environment;
  setenv("REEVE_TEST_VARIABLE", "value", 1);
  EXPECT_EQ(environment.get("REEVE_TEST_VARIABLE"), "value");
  setenv("REEVE_TEST_VARIABLE", "", 1);
  EXPECT_EQ(environment.get("REEVE_TEST_VARIABLE"), std::nullopt);
  unsetenv("REEVE_TEST_VARIABLE");
  EXPECT_EQ(environment.get("REEVE_TEST_VARIABLE"), std::nullopt);
}

TEST(SystemEnvironmentTest, ReadsFilesOfAReasonableSize) {
  const SystemEnvironment environment;
  const auto path =
      std::filesystem::path{testing::TempDir()} / ("reeve_live_file_" + std::to_string(getpid()));
  std::ofstream{path} << "text";
  EXPECT_EQ(environment.read_file(path.string()), "text");
  EXPECT_TRUE(environment.has_file(path.string()));
  std::ofstream{path} << std::string((std::size_t{1} << 20) + 1, 'x');
  EXPECT_EQ(environment.read_file(path.string()), std::nullopt);
  std::filesystem::remove(path);
  EXPECT_EQ(environment.read_file(path.string()), std::nullopt);
  EXPECT_EQ(environment.read_file(testing::TempDir()), std::nullopt);
  EXPECT_FALSE(environment.has_file(testing::TempDir()));
}

TEST(SystemEnvironmentTest, RunsCommands) {
  const SystemEnvironment environment;
  EXPECT_EQ(std::get<std::string>(environment.output_of("echo 'a b'")), "a b\n");
  EXPECT_EQ(message_of(environment.output_of("echo hidden; exit 3")), "the command failed");
  EXPECT_EQ(message_of(environment.output_of("head -c 100000 /dev/zero")),
            "the command printed too much");
}

TEST(SystemClockTest, WaitsAndDraws) {
  SystemClock clock;
  const policy::Instant before = clock.now();
  clock.sleep(std::chrono::milliseconds{2});
  EXPECT_GE(clock.now() - before, std::chrono::milliseconds{1});
  for (int i = 0; i < 100; ++i) {
    const double drawn = system_random();
    EXPECT_GE(drawn, 0.0);
    EXPECT_LT(drawn, 1.0);
  }
}

}  // namespace
}  // namespace reeve::live

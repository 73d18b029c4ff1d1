#include "live/aws/system_surroundings.hpp"

#include <sys/random.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <thread>

namespace reeve::live {

namespace {

constexpr std::size_t most_file_bytes = std::size_t{1} << 20;
constexpr std::size_t most_output_bytes = std::size_t{64} << 10;

}  // namespace

std::optional<std::string> SystemEnvironment::get(const std::string& variable) const {
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string{value};
}

std::optional<std::string> SystemEnvironment::read_file(const std::string& path) const {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  std::ifstream file{path, std::ios::binary};
  if (!file) return std::nullopt;
  std::string text(most_file_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_file_bytes || file.bad()) return std::nullopt;
  return text;
}

bool SystemEnvironment::has_file(const std::string& path) const {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

Result<std::string> SystemEnvironment::output_of(const std::string& command) const {
  std::FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return Failure{"the command cannot be started"};
  std::string output;
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) {
    if (output.size() <= most_output_bytes) output.append(part.data(), size);
  }
  const int status = pclose(pipe);
  if (status != 0) return Failure{"the command failed"};
  if (output.size() > most_output_bytes) return Failure{"the command printed too much"};
  return output;
}

policy::Instant SystemClock::now() {
  // Finer times of this machine mean nothing beside those of AWS.
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

void SystemClock::sleep(policy::Duration wait) {
  std::this_thread::sleep_for(wait);
}

double system_random() {
  std::uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) return 0.5;
  return static_cast<double>(number) / 0x1p32;
}

}  // namespace reeve::live

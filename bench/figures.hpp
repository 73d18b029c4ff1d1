// The figures of a benchmark that is a program of its own: printed, and written as flat JSON.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reeve::bench {

/// Named numbers in the order in which they were measured.
class Figures {
 public:
  void add(std::string key, double value) {
    fmt::print("{:<44}{:>14.4g}\n", key, value);
    std::fflush(stdout);
    figures_.emplace_back(std::move(key), value);
  }

  /// Writes {"key": number, ...} to the file of --json=FILE, if there is one.  The answer is the
  /// program's exit status: 2 for an argument that is not understood, 1 for a file not written.
  int finish(int count, char** arguments) const {
    constexpr std::string_view flag = "--json=";
    for (int i = 1; i < count; ++i) {
      const std::string_view argument = arguments[i];
      if (!argument.starts_with(flag)) {
        fmt::print(stderr, "{}: not understood; --json=FILE is\n", argument);
        return 2;
      }
      if (!write(std::string{argument.substr(flag.size())})) {
        fmt::print(stderr, "{}: cannot be written\n", argument.substr(flag.size()));
        return 1;
      }
    }
    return 0;
  }

 private:
  bool write(const std::string& path) const {
    std::string json;
    for (const auto& [key, value] : figures_) {
      json += fmt::format("{}  \"{}\": {:.6g}", json.empty() ? "{\n" : ",\n", key, value);
    }
    json += "\n}\n";
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return false;
    const bool written = std::fwrite(json.data(), 1, json.size(), file) == json.size();
    return std::fclose(file) == 0 && written;
  }

  std::vector<std::pair<std::string, double>> figures_;
};

}  // namespace reeve::bench

// Checks the text of the repository whose root is the one argument; exit status 1 on a breach.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/rules.hpp"

namespace {

namespace fs = std::filesystem;

/// What is made and not written: no rule covers it.
bool is_made(const fs::path& folder) {
  static constexpr std::array<std::string_view, 8> names{
      ".git",   "build",       "out",          ".reeve",
      ".cache", "__pycache__", "node_modules", ".ipynb_checkpoints"};
  const std::string name = folder.filename().string();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<reeve::tidy::File> files_of(const fs::path& root) {
  std::vector<reeve::tidy::File> files;
  for (auto entry = fs::recursive_directory_iterator{root};
       entry != fs::recursive_directory_iterator{}; ++entry) {
    if (entry->is_directory() && is_made(entry->path())) {
      entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file()) continue;
    std::ifstream stream{entry->path(), std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{stream}, {}};
    if (text.find('\0') != std::string::npos) continue;  // not text
    files.push_back({fs::relative(entry->path(), root).generic_string(), std::move(text)});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: tidy_rules ROOT\n", stderr);
    return 64;
  }
  const std::vector<reeve::tidy::File> files = files_of(argv[1]);
  const std::vector<reeve::tidy::Finding> findings = reeve::tidy::check(files);
  for (const reeve::tidy::Finding& finding : findings) {
    std::fprintf(stderr, "%s:%zu: %s [%s]\n", finding.path.c_str(), finding.line,
                 finding.message.c_str(), finding.rule.c_str());
  }
  const reeve::tidy::SentenceLengths lengths = reeve::tidy::sentence_lengths_of(files);
  std::printf("pages: %zu sentences, median %zu words, 95th percentile %zu words\n",
              lengths.sentences, lengths.median, lengths.percentile_95);
  std::printf("%zu rules, %zu files, %zu findings\n", reeve::tidy::rule_names().size(),
              files.size(), findings.size());
  return findings.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tidy_rules: %s\n", error.what());
  return 1;
}

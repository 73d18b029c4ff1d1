// The results of `reeve test`, for other programs: JUnit XML and JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

/// One expectation.
struct TestedLine {
  bool held = false;
  std::uint64_t line = 0;  ///< in the file; 0: stands in every scenario
  std::uint64_t column = 0;
  std::string policy = {};
  std::string that = {};
  std::string actual = {};  ///< what came out instead, if untrue
};

/// One scenario file.
struct TestedFile {
  std::string name;
  std::string invalid;  ///< what is wrong with it; empty: nothing
  bool without_lines = false;
  bool interrupted = false;
  std::vector<TestedLine> lines;
  std::vector<scenarios::Diagnostic> found;  ///< in an invalid file
  std::chrono::nanoseconds elapsed{0};
};

/// Of all files; lines are what passes and fails.
struct TestSummary {
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;
  std::uint64_t invalid = 0;  ///< files
  bool interrupted = false;
};

/// How the XML begins.
inline constexpr std::string_view junit_head =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"reeve\">\n";

TestSummary summarize(const std::vector<TestedFile>& files);
std::string junit_xml(const std::vector<TestedFile>& files);
std::string tested_json(const std::vector<TestedFile>& files, const TestSummary& sum);

}  // namespace reeve::app

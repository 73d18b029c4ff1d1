// Reads a text as if it were an exported file, and tells what came of it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "scenarios/history/readers.hpp"

namespace reeve::scenarios::history_test {

inline const std::filesystem::path case_folder =
    std::filesystem::path{REEVE_SOURCE_DIR} / ".." / "shared" / "cases" / "history";

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline nlohmann::json expected_of(std::string_view folder) {
  return nlohmann::json::parse(text_of(case_folder / folder / "expected.json"));
}

/// A reader that read one text; its error if it threw.
struct Reading {
  History history;
  std::vector<Diagnostic> errors;
  std::string kind() const { return history.files.empty() ? "" : history.files[0].kind; }
  std::string error() const { return errors.empty() ? "none" : errors[0].code; }
  bool warned(std::string_view code) const {
    for (const FileReport& file : history.files) {
      for (const Diagnostic& warning : file.warnings) {
        if (warning.code == code) return true;
      }
    }
    return false;
  }
  /// All codes, each once, in order.
  std::string warnings() const {
    std::string all;
    for (const FileReport& file : history.files) {
      for (const Diagnostic& warning : file.warnings) {
        if (all.ends_with(warning.code)) continue;
        all += (all.empty() ? "" : " ") + warning.code;
      }
    }
    return all;
  }
};

inline void read_more(const std::string& text, const HistoryOptions& options, Reading& into,
                      std::string name = "node1.txt") {
  try {
    read_history_stream(std::move(name), std::make_unique<std::istringstream>(text), options,
                        into.history);
  } catch (const InputError& error) {
    into.errors = error.diagnostics();
  }
}

inline Reading read_text(const std::string& text, const HistoryOptions& options = {}) {
  Reading reading;
  read_more(text, options, reading);
  return reading;
}

inline Reading read_case(std::string_view folder, const std::string& file,
                         const HistoryOptions& options = {}) {
  return read_text(text_of(case_folder / folder / file), options);
}

/// "09:10:00 97.5, 09:11:00 0": the time of day and value of each sample.
inline std::string shown(const UtilizationSeries& series) {
  std::ostringstream text;
  for (const auto& sample : series.samples) {
    const std::chrono::hh_mm_ss clock{sample.at - std::chrono::floor<std::chrono::days>(sample.at)};
    const auto two = [&](auto count) {
      if (count.count() < 10) text << '0';
      text << count.count();
    };
    text << (text.tellp() > 0 ? ", " : "");
    two(clock.hours());
    text << ':';
    two(clock.minutes());
    text << ':';
    two(clock.seconds());
    text << ' ' << sample.percent;
  }
  return text.str();
}

inline const UtilizationSeries* find_series(const History& history, const std::string& job,
                                            const std::string& host, const std::string& gpu = {}) {
  for (const UtilizationSeries& series : history.series) {
    if (series.job == job && series.host == host && series.gpu == gpu) return &series;
  }
  return nullptr;
}

}  // namespace reeve::scenarios::history_test

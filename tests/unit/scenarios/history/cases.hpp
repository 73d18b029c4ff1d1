// The cases of ../shared/cases/history: small exports with the right reading of each.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/history/readers.hpp"
#include "scenarios/history/sum_up.hpp"

namespace reeve::scenarios::history_cases {

inline std::filesystem::path folder_of(const std::string& source) {
  return std::filesystem::path{REEVE_SOURCE_DIR} / ".." / "shared" / "cases" / "history" / source;
}

/// The expectations of a source, by file; null if the cases are not here.
inline nlohmann::json expected(const std::string& source) {
  std::ifstream file{folder_of(source) / "expected.json"};
  return file ? nlohmann::json::parse(file) : nlohmann::json{};
}

inline History read(const std::filesystem::path& file, HistoryOptions options = {}) {
  return read_history({file.string()}, options);
}

inline History read_text(const std::string& text, const HistoryOptions& options = {}) {
  History history;
  read_history_stream("text", std::make_unique<std::istringstream>(text), options, history);
  sum_up_work(history, options.as_of);
  return history;
}

inline std::unique_ptr<HistoryJob> job_named(const History& history, const std::string& name) {
  for (const HistoryJob& job : history.jobs) {
    if (job.record.job_id == name) return std::make_unique<HistoryJob>(job);
  }
  return nullptr;
}

inline double seconds(policy::Duration length) {
  return std::chrono::duration<double>{length}.count();
}

inline nlohmann::json seconds(const std::optional<policy::Duration>& length) {
  return length ? nlohmann::json(seconds(*length)) : nlohmann::json{};
}

inline bool same(const nlohmann::json& have, const nlohmann::json& want) {
  if (have.is_number() && want.is_number()) {
    return std::abs(have.get<double>() - want.get<double>()) < 1e-6;
  }
  return have == want;
}

/// The jobs of a file are those of its expectations, and each key has the value that `value_of`
/// finds in the job.
template <class ValueOf>
void expect_jobs(const std::string& file, const nlohmann::json& wanted, const History& history,
                 const ValueOf& value_of) {
  EXPECT_EQ(history.jobs.size(), wanted.size()) << file;
  for (const auto& [name, values] : wanted.items()) {
    const auto job = job_named(history, name);
    ASSERT_NE(job, nullptr) << file << ' ' << name;
    for (const auto& [key, value] : values.items()) {
      const nlohmann::json have = value_of(*job, key);
      EXPECT_TRUE(same(have, value))
          << file << ' ' << name << ' ' << key << ": " << have << ", not " << value;
    }
  }
}

/// The codes of the warnings of all files.
inline std::vector<std::string> codes(const History& history) {
  std::vector<std::string> all;
  for (const FileReport& file : history.files) {
    for (const Diagnostic& found : file.warnings) all.push_back(found.code);
  }
  return all;
}

/// The code of the error that reading throws; empty if it does not.
template <class Read>
std::string error_of(const Read& read) {
  try {
    read();
    return {};
  } catch (const InputError& error) {
    return error.diagnostics().front().code;
  }
}

}  // namespace reeve::scenarios::history_cases

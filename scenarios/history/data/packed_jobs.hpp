// Jobs of a history in about 100 bytes each: names of users, types and files are kept once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/data/history_job.hpp"
#include "scenarios/history/data/pieces.hpp"
#include "scenarios/history/data/text_table.hpp"

namespace reeve::scenarios {

/// Texts by number, since few users and types have many jobs.
class CommonTexts {
 public:
  /// Nothing if the text is long, or there are many already.
  std::optional<std::uint32_t> number_of(std::string_view text);
  const std::string& text(std::uint32_t number) const { return texts_.text(number); }
  bool is_used() const { return is_used_; }  ///< whether there was one

 private:
  NumberedTexts texts_;
  bool is_used_ = false;
  std::uint32_t last_ = 0;
};

/// What a pass over the jobs did with one of them.
enum class JobPass : std::uint8_t { left_as_is, changed, left_out };

/// A list of jobs.  A job is unpacked to be read, and packed again when it has changed.
class PackedJobs {
 public:
  PackedJobs();
  ~PackedJobs();
  PackedJobs(PackedJobs&&) noexcept;
  PackedJobs& operator=(PackedJobs&&) noexcept;

  std::size_t size() const { return pieces_.size(); }
  bool empty() const { return pieces_.size() == 0; }
  void add(const HistoryJob& job);
  HistoryJob at(std::size_t index) const;
  HistoryJob operator[](std::size_t index) const { return at(index); }
  HistoryJob front() const { return at(0); }
  /// As `at`, with the memory that `into` has.  Returns how many bytes the packed job has.
  std::size_t unpack(std::size_t index, HistoryJob& into) const;
  std::string_view name(std::size_t index) const;  ///< its job_id, until the next change
  void replace(std::size_t index, const HistoryJob& job);
  /// Passes over each job in order, and leaves out those that `pass` says.  It may read and replace
  /// the jobs before, which have new indices already.
  void rewrite(const std::function<JobPass(HistoryJob&)>& pass);
  /// Passes over copies of the jobs, in order.
  void for_each_copy(const std::function<void(HistoryJob&)>& with) const;
  /// Keeps the first `size` jobs.
  void cut(std::size_t size);
  /// False: no job ever had an instance type.
  bool may_have_types() const;
  /// By submission, then by name.
  void sort();
  std::size_t bytes() const { return pieces_.bytes(); }  ///< of memory, besides common texts

  /// What it points at is valid until the next step.
  class Iterator {
   public:
    explicit Iterator(const PackedJobs& jobs);
    ~Iterator();
    const HistoryJob& operator*() const { return job_; }
    Iterator& operator++();
    bool operator==(std::default_sentinel_t) const { return index_ == jobs_.size(); }

   private:
    const PackedJobs& jobs_;
    std::size_t index_ = 0;
    HistoryJob job_;
  };
  Iterator begin() const { return Iterator{*this}; }
  static std::default_sentinel_t end() { return {}; }

  static constexpr std::size_t common_members = 12;
  using Texts = std::array<CommonTexts, common_members>;  ///< by member

 private:
  std::string_view pack(const HistoryJob& job);

  Pieces pieces_;
  Texts texts_;
  std::string scratch_;
};

}  // namespace reeve::scenarios

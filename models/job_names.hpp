// The names of a world's explicit jobs, shared by all copies.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace reeve::models {

/// A list of names by JobId.  Copies share it, so a replication of a long trace copies no strings;
/// a changed copy becomes its own list.  References are invalid after a change.
class JobNames {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;
  using iterator = const_iterator;

  JobNames() = default;
  JobNames(std::initializer_list<std::string> names);
  explicit JobNames(std::vector<std::string> names);

  std::size_t size() const { return names_ == nullptr ? 0 : names_->size(); }
  bool empty() const { return size() == 0; }
  const std::string& operator[](std::size_t job) const { return (*names_)[job]; }
  const std::string& front() const { return names_->front(); }
  const_iterator begin() const { return names_ == nullptr ? const_iterator{} : names_->cbegin(); }
  const_iterator end() const { return names_ == nullptr ? const_iterator{} : names_->cend(); }

  void reserve(std::size_t count) { own().reserve(count); }
  void push_back(std::string name) { own().push_back(std::move(name)); }

 private:
  std::vector<std::string>& own();

  std::shared_ptr<std::vector<std::string>> names_;
};

}  // namespace reeve::models

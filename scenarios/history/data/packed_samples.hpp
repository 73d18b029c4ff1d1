// Samples of a utilization series in few bytes: metrics come at equal distances and repeat values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

namespace reeve::scenarios {

/// What a metric reads at one instant.
struct UtilizationSample {
  policy::Instant at;
  double percent;  ///< of one GPU, 0 to 100, or the sum over the GPUs of the host
  friend bool operator==(const UtilizationSample&, const UtilizationSample&) = default;
};

/// A list of samples, in any order, to which samples are added at the end.  Every bit is kept.
///
/// A sample at the distance of the one before it and with its value takes a thirtieth of a byte;
/// with another value 2 to 9 bytes; at another distance up to 10 bytes more.
class PackedSamples {
 public:
  /// Reads from the first sample on.  Not valid after push_back.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = UtilizationSample;
    using difference_type = std::ptrdiff_t;
    using pointer = const UtilizationSample*;
    using reference = const UtilizationSample&;

    Iterator() = default;
    reference operator*() const { return sample_; }
    pointer operator->() const { return &sample_; }
    Iterator& operator++() {
      if (--left_ > 0) advance();
      return *this;
    }
    /// Of two iterators of one list.
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.left_ == b.left_; }

   private:
    friend class PackedSamples;
    Iterator(const char* next, std::size_t left) : next_{next}, left_{left} {
      if (left_ > 0) advance();
    }
    void advance();

    const char* next_ = nullptr;
    std::size_t left_ = 0;       ///< samples from this one on
    std::uint32_t repeats_ = 0;  ///< samples like this one that follow
    std::int64_t step_ = 0;
    UtilizationSample sample_{policy::Instant{}, 0};
  };

  PackedSamples() = default;
  explicit PackedSamples(const std::vector<UtilizationSample>& samples);

  void push_back(const UtilizationSample& sample);
  /// Adds all of another list.
  void append(const PackedSamples& more);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The sample that was added first, and last; not of an empty list.
  UtilizationSample front() const { return *begin(); }
  const UtilizationSample& back() const { return last_; }
  Iterator begin() const { return {bytes_.data(), size_}; }
  Iterator end() const { return {}; }
  std::vector<UtilizationSample> unpacked() const;

 private:
  std::string bytes_;
  std::size_t size_ = 0;
  std::size_t control_ = 0;  ///< where the last sample's control byte is
  std::int64_t step_ = 0;    ///< nanoseconds from the sample before to the last
  UtilizationSample last_{policy::Instant{}, 0};
};

}  // namespace reeve::scenarios

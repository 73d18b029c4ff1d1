#include "fair_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reeve::policies {
namespace {

/// Of all with one parent, at the parent's place; those under the root come last.
struct Siblings {
  std::vector<double> shares;
  std::vector<double> usage;

  explicit Siblings(const std::vector<Association>& tree)
      : shares(tree.size() + 1), usage(tree.size() + 1) {
    for (const Association& one : tree) {
      shares[place(one)] += one.shares;
      usage[place(one)] += static_cast<double>(one.usage);
    }
  }
  std::size_t place(const Association& one) const {
    return one.parent == under_root ? shares.size() - 1 : one.parent;
  }
};

class FairTree {
 public:
  explicit FairTree(const std::vector<Association>& tree)
      : tree_{tree}, children_(tree.size() + 1), level_(tree.size()), factors_(tree.size()) {
    const Siblings siblings{tree};
    for (std::size_t at = 0; at < tree.size(); ++at) {
      const std::size_t of = siblings.place(tree[at]);
      children_[of].push_back(at);
      users_ += tree[at].is_user ? 1U : 0U;
      // S / U with whole numbers as long as possible, so that equals are equal.
      const double used = static_cast<double>(tree[at].usage) * siblings.shares[of];
      level_[at] = used > 0 ? tree[at].shares * siblings.usage[of] / used
                            : std::numeric_limits<double>::infinity();
    }
  }

  std::vector<double> factors() {
    left_ = users_;
    visit(children_.back(), 0);
    return std::move(factors_);
  }

 private:
  /// `rank` is that of the best of them if they equal an earlier one; 0: they do not.
  void visit(std::vector<std::size_t> all, std::size_t rank) {
    std::stable_sort(all.begin(), all.end(),
                     [this](std::size_t a, std::size_t b) { return level_[a] > level_[b]; });
    for (auto first = all.begin(); first != all.end(); rank = 0) {
      const auto end = std::find_if(first, all.end(),
                                    [&](std::size_t at) { return level_[at] != level_[*first]; });
      visit_equals({first, end}, rank);
      first = end;
    }
  }

  void visit_equals(const std::vector<std::size_t>& equals, std::size_t rank) {
    std::vector<std::size_t> below;
    for (const std::size_t at : equals) {
      if (!tree_[at].is_user) {
        below.insert(below.end(), children_[at].begin(), children_[at].end());
        continue;
      }
      if (rank == 0) rank = left_;
      factors_[at] = static_cast<double>(rank) / static_cast<double>(users_);
      --left_;
    }
    if (!below.empty()) visit(std::move(below), rank);
  }

  const std::vector<Association>& tree_;
  std::vector<std::vector<std::size_t>> children_;  ///< those of the root come last
  std::vector<double> level_;
  std::vector<double> factors_;
  std::size_t users_ = 0;
  std::size_t left_ = 0;  ///< users that have no rank yet
};

}  // namespace

std::vector<double> classic_factors(const std::vector<Association>& tree) {
  const Siblings siblings{tree};
  const double all = std::max(siblings.usage.back(), 1.0);
  std::vector<double> effective(tree.size());
  std::vector<double> shares(tree.size());
  std::vector<double> factors(tree.size());
  for (std::size_t at = 0; at < tree.size(); ++at) {
    const Association& one = tree[at];
    const double part = one.shares / siblings.shares[siblings.place(one)];
    const double used = static_cast<double>(one.usage) / all;
    const bool top = one.parent == under_root;
    shares[at] = top ? part : shares[one.parent] * part;
    effective[at] = top ? used : used + (effective[one.parent] - used) * part;
    factors[at] = std::exp2(-effective[at] / shares[at]);
  }
  return factors;
}

std::vector<double> fair_tree_factors(const std::vector<Association>& tree) {
  return FairTree{tree}.factors();
}

}  // namespace reeve::policies

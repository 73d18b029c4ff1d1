// How well each user of a tree of accounts has been served: Slurm's fair-share factors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reeve::policies {

/// In the place of an account's parent: it stands just under the root.
inline constexpr std::size_t under_root = static_cast<std::size_t>(-1);

/// An account, or a user of an account, which is a leaf.  Parents precede their children.
struct Association {
  std::size_t parent = under_root;
  double shares = 1;       ///< of those with the same parent; above 0
  std::int64_t usage = 0;  ///< instance-seconds; an account's is the sum of its children's
  bool is_user = true;
};

/// From 0 to 1, by place in the tree: 2^(-U/S) with the effective usage U and the normalized shares
/// S (Slurm, classic_fair_share.html, "The Slurm Fair-Share Formula").  1 for all where nothing was
/// used.
std::vector<double> classic_factors(const std::vector<Association>& tree);

/// Of users their rank by their number, the best 1; of accounts 0 (Slurm, fair_tree.html,
/// "Algorithm", "Level Fairshare Calculation" and "Ties").
std::vector<double> fair_tree_factors(const std::vector<Association>& tree);

}  // namespace reeve::policies

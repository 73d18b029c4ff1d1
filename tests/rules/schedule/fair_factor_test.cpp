// Slurm's fair-share factors: the examples of its own pages, and ties.
#include "fair_factor.hpp"

#include <gtest/gtest.h>

namespace reeve::policies {
namespace fair_factor_test {

/// In hundredths of the machine.
Association account(double shares, std::int64_t usage, std::size_t parent = under_root) {
  return {.parent = parent, .shares = shares, .usage = usage, .is_user = false};
}
Association user(std::size_t parent, std::int64_t usage, double shares = 1) {
  return {.parent = parent, .shares = shares, .usage = usage};
}

// classic_fair_share.html, "Example": accounts A (with B and C) and D (with E and F); users 1 of B,
// 2 and 3 of C, 4 of E, 5 of F.  No job used the rest of the machine.
TEST(FairFactor, ClassicFactorsAreThoseOfTheExampleInSlurmsManual) {
  const std::vector<Association> tree{account(40, 45),    account(60, 25),    account(30, 20, 0),
                                      account(10, 25, 0), account(25, 25, 1), account(35, 0, 1),
                                      user(2, 20),        user(3, 25),        user(3, 0),
                                      user(4, 25),        user(5, 0),         account(1e-9, 30)};
  const std::vector<double> factors = classic_factors(tree);
  EXPECT_NEAR(factors[6], 0.408479, 1e-6);
  EXPECT_NEAR(factors[7], 0.022097, 1e-6);
  EXPECT_NEAR(factors[8], 0.125, 1e-6);
  EXPECT_NEAR(factors[9], 0.5, 1e-6);
  EXPECT_NEAR(factors[10], 0.749154, 1e-4) << "the manual rounds 0.14583 before";
}

// The same tree: D was served worse than A (0.6/0.357 to 0.4/0.643), F than E, B (0.75/0.444) than
// C (0.25/0.556), and user 3 of C has used nothing.
TEST(FairFactor, FairTreeRanksAllOfTheAccountThatWasServedWorstFirst) {
  const std::vector<Association> tree{account(40, 45),    account(60, 25),    account(30, 20, 0),
                                      account(10, 25, 0), account(25, 25, 1), account(35, 0, 1),
                                      user(2, 20),        user(3, 25),        user(3, 0),
                                      user(4, 25),        user(5, 0)};
  const std::vector<double> factors = fair_tree_factors(tree);
  EXPECT_DOUBLE_EQ(factors[10], 1.0);
  EXPECT_DOUBLE_EQ(factors[9], 0.8);
  EXPECT_DOUBLE_EQ(factors[6], 0.6);
  EXPECT_DOUBLE_EQ(factors[8], 0.4);
  EXPECT_DOUBLE_EQ(factors[7], 0.2);
}

// fair_tree.html, "Ties": users alike have one rank; a user like an account that of its best user;
// accounts alike are as one.
TEST(FairFactor, EqualsHaveOneRank) {
  const std::vector<double> users =
      fair_tree_factors({account(1, 8), user(0, 2), user(0, 2), user(0, 4)});
  EXPECT_EQ(users, (std::vector<double>{0, 1, 1, 1.0 / 3}));
  const std::vector<double> user_and_account =
      fair_tree_factors({account(1, 4), user(under_root, 4), user(0, 3), user(0, 1)});
  EXPECT_EQ(user_and_account, (std::vector<double>{0, 1, 1.0 / 3, 1}));
  // Of two accounts alike, the users that had least of their own account are first.
  const std::vector<double> accounts = fair_tree_factors(
      {account(1, 10), account(2, 20), user(0, 9), user(0, 1), user(1, 15), user(1, 5)});
  EXPECT_EQ(accounts, (std::vector<double>{0, 0, 0.25, 1, 0.5, 0.75}));
}

TEST(FairFactor, WhereNothingWasUsedAllAreAlike) {
  const std::vector<Association> tree{account(1, 0), account(5, 0), user(0, 0), user(1, 0)};
  EXPECT_EQ(classic_factors(tree), (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(fair_tree_factors(tree), (std::vector<double>{0, 0, 1, 1}));
}

}  // namespace fair_factor_test
}  // namespace reeve::policies

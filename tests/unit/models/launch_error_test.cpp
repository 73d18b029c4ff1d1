#include "models/launch_error.hpp"

#include <gtest/gtest.h>

namespace reeve::models {
namespace launch_error_test {

TEST(LaunchError, EC2NamesTheZoneAndThoseThatHaveRoom) {
  EXPECT_EQ(insufficient_capacity(policy::Market::on_demand, "p4d.24xlarge", "us-west-2b",
                                  {"us-west-2a", "us-west-2c"}),
            "InsufficientInstanceCapacity: We currently do not have sufficient p4d.24xlarge "
            "capacity in the Availability Zone you requested (us-west-2b). Our system will be "
            "working on provisioning additional capacity. You can currently get p4d.24xlarge "
            "capacity by not specifying an Availability Zone in your request or choosing "
            "us-west-2a, us-west-2c.");
}

TEST(LaunchError, WhatIsNotKnownIsNotNamed) {
  EXPECT_EQ(insufficient_capacity(policy::Market::on_demand, "p4d.24xlarge", "", {}),
            "InsufficientInstanceCapacity: We currently do not have sufficient p4d.24xlarge "
            "capacity. Our system will be working on provisioning additional capacity.");
}

TEST(LaunchError, SpotNamesNothing) {
  EXPECT_EQ(insufficient_capacity(policy::Market::spot, "p4d.24xlarge", "us-west-2b", {}),
            "InsufficientInstanceCapacity: There is no Spot capacity available that matches your "
            "request.");
}

}  // namespace launch_error_test
}  // namespace reeve::models

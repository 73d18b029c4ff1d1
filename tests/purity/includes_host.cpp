// Must not compile where policies are compiled: the host is not on their include path.
#include <reeve/policy/policy.hpp>

#include "host/ports.hpp"

int main() {}

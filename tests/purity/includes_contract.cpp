// The control of includes_host.cpp: the same compiler and path, and this one must compile.
#include <reeve/policy/policy.hpp>

int main() {}

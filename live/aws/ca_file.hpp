// Where the certificates are that AWS is verified by.
#pragma once

#include <string>

#include "live/aws/environment.hpp"

namespace reeve::live {

/// The certificates: AWS_CA_BUNDLE or SSL_CERT_FILE, else the first usual file that exists, else
/// empty: the choice of the library.
std::string ca_file_of(const Environment& environment);

}  // namespace reeve::live

#include "live/https/tls_client.hpp"

#include <mbedtls/ssl_ciphersuites.h>
#include <mbedtls/version.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "live/https/connection_failure.hpp"

#if MBEDTLS_VERSION_MAJOR != 2
#error "written for mbedTLS 2.28: later ones also speak TLS 1.3, which needs more setting up"
#endif

namespace reeve::live {
namespace {

/// Those of TLS 1.2 with forward secrecy and authenticated encryption.
constexpr std::array suites{MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
                            MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
                            MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
                            MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
                            MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
                            MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
                            0};

/// The library does not check the names that an issuer may certify (RFC 5280, section 4.2.1.10): an
/// issuer with such limits is refused.
int refuse_name_constraints(void*, mbedtls_x509_crt* certificate, int, std::uint32_t* flags) {
  static constexpr std::array<unsigned char, 5> name_constraints{0x06, 0x03, 0x55, 0x1d, 0x1e};
  const mbedtls_x509_buf& all = certificate->v3_ext;
  const bool has_limits = std::search(all.p, all.p + all.len, name_constraints.begin(),
                                      name_constraints.end()) != all.p + all.len;
  if (has_limits) *flags |= MBEDTLS_X509_BADCERT_OTHER;
  return 0;
}

}  // namespace

TlsClient::TlsClient(const std::string& ca_file) {
  const bool has_random =
      mbedtls_ctr_drbg_seed(random_.get(), mbedtls_entropy_func, entropy_.get(), nullptr, 0) == 0;
  const bool has_defaults =
      mbedtls_ssl_config_defaults(config_.get(), MBEDTLS_SSL_IS_CLIENT,
                                  MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) == 0;
  if (!has_random || !has_defaults) {
    throw ConnectionFailure{TransportFault::not_sent, "TLS cannot start"};
  }
  if (ca_file.empty()) {
    throw ConnectionFailure{TransportFault::untrusted,
                            "no file with certificates is found: AWS_CA_BUNDLE names one"};
  }
  // A positive result counts the certificates that the library cannot read.  Without them less is
  // trusted.
  if (mbedtls_x509_crt_parse_file(issuers_.get(), ca_file.c_str()) < 0 ||
      issuers_.get()->version == 0) {
    throw ConnectionFailure{TransportFault::untrusted, '"' + ca_file + "\" has no certificates"};
  }
  mbedtls_ssl_conf_min_version(config_.get(), MBEDTLS_SSL_MAJOR_VERSION_3,
                               MBEDTLS_SSL_MINOR_VERSION_3);
  mbedtls_ssl_conf_ciphersuites(config_.get(), suites.data());
  mbedtls_ssl_conf_verify(config_.get(), refuse_name_constraints, nullptr);
  mbedtls_ssl_conf_rng(config_.get(), mbedtls_ctr_drbg_random, random_.get());
  mbedtls_ssl_conf_ca_chain(config_.get(), issuers_.get(), nullptr);
  mbedtls_ssl_conf_authmode(config_.get(), MBEDTLS_SSL_VERIFY_REQUIRED);
}

}  // namespace reeve::live

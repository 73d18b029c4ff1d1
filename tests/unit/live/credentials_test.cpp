#include <gtest/gtest.h>

#include "live/aws/credential_chain.hpp"
#include "live/aws/credential_sources.hpp"
#include "live/aws/profiles.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* document =
    R"({"Code": "Success", "AccessKeyId": "I", "SecretAccessKey": "S", "Token": "T",
        "Expiration": "2026-01-01T06:00:00Z"})";

std::string sts_reply(const std::string& operation, const std::string& id) {
  return "<" + operation + "Response><" + operation + "Result><Credentials><AccessKeyId>" + id +
         "</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T</SessionToken>"
         "<Expiration>2026-01-01T01:00:00Z</Expiration></Credentials></" +
         operation + "Result></" + operation + "Response>";
}

struct CredentialsTest : testing::Test {
  Scripted script;
  std::map<std::string, std::string>& variables = script.environment.variables;
  std::map<std::string, std::string>& files = script.environment.files;

  CredentialsTest() { variables["HOME"] = "/h"; }

  Request& request(std::size_t i) { return script.transport.requests.at(i); }
  std::string id_of(const Result<Credentials>& found) {
    if (const Failure* failure = failure_of(found)) return failure->message;
    return std::get<Credentials>(found).key.id;
  }
  std::string id_of(const Found& found) { return found ? id_of(*found) : "(not here)"; }
  std::string chain_id() { return id_of(CredentialChain{script.surroundings()}.current()); }
  std::string profile_id() { return id_of(from_profile(script.surroundings())); }
};

TEST_F(CredentialsTest, OfTheEnvironment) {
  variables["AWS_ACCESS_KEY_ID"] = "E";
  EXPECT_EQ(chain_id(), "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set");
  variables["AWS_SECRET_ACCESS_KEY"] = "S";
  variables["AWS_SESSION_TOKEN"] = "T";
  const auto found = std::get<Credentials>(*from_environment(script.environment));
  EXPECT_EQ(found.key.id, "E");
  EXPECT_EQ(found.key.secret.reveal(), "S");
  EXPECT_EQ(found.key.session_token.reveal(), "T");
  EXPECT_EQ(found.expires, policy::never);
}

TEST_F(CredentialsTest, OfAWebIdentity) {
  variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  EXPECT_EQ(chain_id(), "AWS_WEB_IDENTITY_TOKEN_FILE is set without AWS_ROLE_ARN");
  variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/r";
  EXPECT_EQ(chain_id(), "the web identity token cannot be read from /token");
  files["/token"] = "jwt\n";
  variables["AWS_REGION"] = "eu-west-1";
  script.transport.answer(500, "");
  script.transport.answer(200, sts_reply("AssumeRoleWithWebIdentity", "W"));
  EXPECT_EQ(chain_id(), "W");
  EXPECT_EQ(request(1).host, "sts.eu-west-1.amazonaws.com");
  EXPECT_EQ(
      request(1).body,
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
      "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=reeve&WebIdentityToken=jwt");
  EXPECT_EQ(header_of(request(1), "authorization"), "(none)");
  script.transport.answer(400,
                          "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>bad"
                          "</Message></Error></ErrorResponse>");
  EXPECT_EQ(chain_id(), "AssumeRoleWithWebIdentity failed: InvalidIdentityToken: bad");
}

TEST_F(CredentialsTest, OfAProfileWithKeys) {
  files["/h/.aws/credentials"] =
      "# comment\n[default]\naws_access_key_id=D\naws_secret_access_key = S\n\n[other]\n"
      "aws_access_key_id = O ; comment\naws_secret_access_key = S#1\n";
  files["/h/.aws/config"] = "[profile other]\nregion = x\naws_access_key_id = never\n";
  EXPECT_EQ(chain_id(), "D");
  variables["AWS_PROFILE"] = "other";
  const auto found = std::get<Credentials>(*from_profile(script.surroundings()));
  EXPECT_EQ(found.key.id, "O");
  EXPECT_EQ(found.key.secret.reveal(), "S#1");
  variables["AWS_PROFILE"] = "absent";
  EXPECT_EQ(chain_id(), "profile `absent`: there is no such profile");
  variables["AWS_SHARED_CREDENTIALS_FILE"] = "~/mine";
  files["/h/mine"] = "[absent]\naws_access_key_id = M\n";
  EXPECT_EQ(chain_id(),
            "profile `absent`: aws_access_key_id and aws_secret_access_key must both be set");
}

TEST_F(CredentialsTest, OfARole) {
  files["/h/.aws/config"] =
      "[default]\nrole_arn = arn:r\nsource_profile = base\nexternal_id = x\n"
      "role_session_name = me\nduration_seconds = 900\n[profile base]\nregion = us-east-1\n";
  EXPECT_EQ(profile_id(), "profile `default`: the source of role_arn has no credentials");
  files["/h/.aws/credentials"] = "[base]\naws_access_key_id = B\naws_secret_access_key = S\n";
  script.transport.answer(200, sts_reply("AssumeRole", "R"));
  EXPECT_EQ(profile_id(), "R");
  EXPECT_EQ(request(0).body,
            "Action=AssumeRole&Version=2011-06-15&DurationSeconds=900&ExternalId=x&RoleArn=arn%3Ar"
            "&RoleSessionName=me");
  EXPECT_TRUE(header_of(request(0), "authorization").find("Credential=B/") != std::string::npos);
}

TEST_F(CredentialsTest, OfARoleWithItsOwnKeysOrACircle) {
  files["/h/.aws/config"] =
      "[default]\nrole_arn = arn:r\nsource_profile = default\naws_access_key_id = K\n"
      "aws_secret_access_key = S\n"
      "[profile a]\nrole_arn = arn:a\nsource_profile = b\n"
      "[profile b]\nrole_arn = arn:b\nsource_profile = a\n";
  script.transport.answer(200, sts_reply("AssumeRole", "R"));
  EXPECT_EQ(profile_id(), "R");
  variables["AWS_PROFILE"] = "a";
  EXPECT_EQ(profile_id(), "profile `a`: its source profiles form a circle");
}

TEST_F(CredentialsTest, OfARoleWithACredentialSource) {
  files["/h/.aws/config"] = "[default]\nrole_arn = arn:r\ncredential_source = Environment\n";
  EXPECT_EQ(profile_id(), "profile `default`: the source of role_arn has no credentials");
  variables["AWS_ACCESS_KEY_ID"] = "E";
  variables["AWS_SECRET_ACCESS_KEY"] = "S";
  script.transport.answer(200, sts_reply("AssumeRole", "R"));
  EXPECT_EQ(profile_id(), "R");
  files["/h/.aws/config"] = "[default]\nrole_arn = arn:r\nmfa_serial = m\n";
  EXPECT_EQ(profile_id(), "profile `default`: reeve cannot ask for an MFA code");
  files["/h/.aws/config"] = "[default]\nrole_arn = arn:r\nweb_identity_token_file = /token\n";
  files["/token"] = "jwt";
  script.transport.answer(200, sts_reply("AssumeRoleWithWebIdentity", "W"));
  EXPECT_EQ(profile_id(), "W");
}

TEST_F(CredentialsTest, OfACommandOrSso) {
  files["/h/.aws/config"] = "[default]\ncredential_process = give --key\n";
  EXPECT_EQ(profile_id(), "profile `default`: credential_process: the command failed");
  script.environment.outputs["give --key"] =
      R"({"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "S", "SessionToken": "T"})";
  EXPECT_EQ(profile_id(), "P");
  script.environment.outputs["give --key"] = "hidden";
  EXPECT_EQ(profile_id(),
            "the credentials of credential_process of profile `default` cannot be used: they are "
            "not a JSON object");
  files["/h/.aws/config"] = "[default]\nsso_session = s\n[sso-session s]\nsso_region = r\n";
  EXPECT_EQ(profile_id(),
            "profile `default`: reeve cannot sign in with SSO: export credentials with `aws "
            "configure export-credentials --format env`, or set `credential_process`");
}

TEST_F(CredentialsTest, OfAContainer) {
  variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/x?id=1";
  script.transport.answer(503, "");
  script.transport.answer(200, document);
  EXPECT_EQ(chain_id(), "I");
  EXPECT_EQ(url_of(request(1)), "http://169.254.170.2/v2/x?id=1");
  EXPECT_FALSE(request(1).use_proxy);
  variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "@evil.example/";
  EXPECT_EQ(chain_id(), "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is no valid address");
  variables.erase("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1/credentials";
  variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "plain";
  variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/token";
  EXPECT_EQ(chain_id(), "the token of the container cannot be read: /token");
  files["/token"] = "from file\n";
  script.transport.answer(200, document);
  EXPECT_EQ(chain_id(), "I");
  EXPECT_EQ(header_of(request(2), "authorization"), "from file");
  files["/token"] = "a\r\nX: y";
  EXPECT_EQ(chain_id(), "the token of the container has more than one line");
  files["/token"] = "t";
  script.transport.answer(403, "denied");
  EXPECT_EQ(chain_id(), "no credentials from the container: the service answers with status 403");
}

TEST_F(CredentialsTest, OfAContainerAtKnownHostsOnly) {
  for (const char* uri : {"http://localhost:80/a", "http://127.0.0.9/a", "http://[::1]:8/a",
                          "http://[fd00:ec2::23]/a", "https://any.example/a"}) {
    variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = uri;
    script.transport.answer(200, document);
    EXPECT_EQ(chain_id(), "I") << uri;
  }
  for (const char* uri : {"http://any.example/a", "http://127.evil.example/a",
                          "http://169.254.1.1/", "http://localhost.evil.example/"}) {
    variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = uri;
    EXPECT_TRUE(chain_id().ends_with("must be called with https")) << uri;
  }
  EXPECT_EQ(script.transport.requests.size(), 5U);
}

TEST_F(CredentialsTest, OfAnInstance) {
  script.transport.answer(200, "TOKEN");
  script.transport.answer(200, "my role\n");
  script.transport.answer(200, document);
  EXPECT_EQ(chain_id(), "I");
  EXPECT_EQ(request(0).method + " " + url_of(request(0)),
            "PUT http://169.254.169.254/latest/api/token");
  EXPECT_EQ(header_of(request(0), "x-aws-ec2-metadata-token-ttl-seconds"), "21600");
  EXPECT_LT(request(0).timeout, seconds{1});
  EXPECT_EQ(header_of(request(2), "x-aws-ec2-metadata-token"), "TOKEN");
  EXPECT_EQ(request(2).path, "/latest/meta-data/iam/security-credentials/my%20role");
  script.transport.answer(200, "TOKEN");
  script.transport.answer(404, "");
  EXPECT_EQ(chain_id(),
            "no AWS credentials were found: not in the environment, no web identity, not in "
            "profile `default`, not in a container; the instance has no role: the service answers "
            "with status 404");
}

/// One request, no wait: a laptop learns at once that it is no instance.
TEST_F(CredentialsTest, GivesUpWithoutAnInstance) {
  script.transport.fail(TransportFault::not_sent);
  EXPECT_TRUE(
      chain_id().ends_with("no answer from the instance metadata service: the network failed"));
  EXPECT_EQ(script.transport.requests.size(), 1U);
  EXPECT_TRUE(script.clock.waits.empty());
  variables["AWS_EC2_METADATA_DISABLED"] = "true";
  EXPECT_TRUE(chain_id().ends_with("AWS_EC2_METADATA_DISABLED is set"));
  EXPECT_EQ(script.transport.requests.size(), 1U);
}

struct RenewalTest : CredentialsTest {
  CredentialChain chain{script.surroundings()};
  RenewalTest() { variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/x"; }

  std::size_t fetches() const { return script.transport.requests.size(); }
};

TEST_F(RenewalTest, FiveMinutesBeforeTheEnd) {
  for (int i = 0; i < 2; ++i) script.transport.answer(200, document);
  EXPECT_EQ(id_of(chain.current()), "I");
  script.clock.time += hours{6} - seconds{301};
  EXPECT_EQ(id_of(chain.current()), "I");
  EXPECT_EQ(fetches(), 1U);
  script.clock.time += seconds{1};
  EXPECT_EQ(id_of(chain.current()), "I");
  EXPECT_EQ(fetches(), 2U);
}

TEST_F(RenewalTest, KeepsTheOldOnesWhileTheyAreValid) {
  script.transport.answer(200, document);
  EXPECT_EQ(id_of(chain.current()), "I");
  script.clock.time += hours{6} - seconds{200};
  EXPECT_EQ(id_of(chain.current()), "I");
  const std::size_t tries = fetches();
  EXPECT_EQ(id_of(chain.current()), "I");
  EXPECT_EQ(fetches(), tries);
  script.clock.time += seconds{200};
  EXPECT_TRUE(id_of(chain.current()).starts_with("no credentials from the container"));
}

TEST_F(RenewalTest, AfterTheyAreForgotten) {
  for (int i = 0; i < 2; ++i) script.transport.answer(200, document);
  EXPECT_EQ(id_of(chain.current()), "I");
  chain.forget();
  EXPECT_EQ(id_of(chain.current()), "I");
  EXPECT_EQ(fetches(), 2U);
}

TEST(CredentialDocuments, AreChecked) {
  for (const char* text :
       {"", "[]", "{}", R"({"Code": "Failed"})", R"({"AccessKeyId": "a"})",
        R"({"AccessKeyId": 1, "SecretAccessKey": "s"})",
        R"({"AccessKeyId": "a", "SecretAccessKey": "s", "Expiration": "soon"})"}) {
    EXPECT_NE(failure_of(credentials_in_json(text, "x")), nullptr) << text;
  }
}

TEST(Profiles, SurviveOddFiles) {
  std::map<std::string, Profile> profiles;
  add_profiles(
      "a = 1\n[]\nb = 2\n[profile ]\n[profile \"my name\"]\nC = 3 # x\n  nested = 4\n=5\n"
      "noise\n[default\n[services s]\nd = 6\n[profile z]",
      ProfileFile::config, profiles);
  EXPECT_EQ(profiles,
            (std::map<std::string, Profile>{{"my name", {{"c", "3"}, {"", "5"}}}, {"z", {}}}));
}

}  // namespace
}  // namespace reeve::live

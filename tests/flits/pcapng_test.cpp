// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flit logs as pcapng: what is written, byte for byte, and what is read of others' files.
#include "flits/pcapng.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "flits/flit_log.hpp"

namespace cxlgpu::flits {
namespace {

namespace fs = std::filesystem;

class Pcapng : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("pcapng_test_" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  static std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static std::vector<FlitRecord> read_all(const std::string& path) {
    FlitLogReader reader(path);
    EXPECT_FALSE(reader.bare());
    std::vector<FlitRecord> all;
    FlitRecord r;
    while (reader.read(r)) all.push_back(r);
    return all;
  }
  std::vector<FlitRecord> read_bytes(const std::string& bytes) {
    std::ofstream(path("bytes"), std::ios::binary) << bytes;
    return read_all(path("bytes"));
  }
  std::string error_of(const std::string& bytes) {
    try {
      read_bytes(bytes);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }

  static Flit flit(std::uint8_t fill) {
    Flit f;
    f.bytes.fill(fill);
    f.set_protocol_id(ProtocolId::CacheMem);
    return f;
  }
  static std::vector<FlitRecord> some() {
    return {{1, "a-b", Direction::M2S, flit(1)},
            {0x1234567890, "a-b", Direction::S2M, flit(2)},
            {0x1234567891, "link1", Direction::M2S, flit(3)},
            {0x1234567891, "a-b", Direction::M2S, {}, true, false},
            {~std::uint64_t{0}, "link1", Direction::M2S, {}, false, true},
            {~std::uint64_t{0}, "a-b", Direction::S2M, flit(4)}};
  }
  static std::string write_all(const std::string& path, const std::vector<FlitRecord>& all) {
    FlitLogWriter writer(path, "a run");
    for (const auto& r : all) writer.write(r);
    writer.close();
    return read_text(path);
  }

 private:
  fs::path dir_;
};

// Words of a file, in the byte order that is asked for; texts are not turned.
class File {
 public:
  explicit File(bool big = false) : big_(big) {}
  File& word(std::uint32_t value) { return number(value, 4); }
  File& half(std::uint32_t value) { return number(value, 2); }
  File& text(std::string_view bytes) {
    bytes_ += bytes;
    bytes_.append((4 - bytes.size() % 4) % 4, '\0');
    return *this;
  }
  File& block(std::uint32_t type, const File& body) {
    const auto length = static_cast<std::uint32_t>(body.bytes_.size() + 12);
    word(type).word(length);
    bytes_ += body.bytes_;
    return word(length);
  }
  File& header() {
    return block(0x0A0D0D0A, File(big_).word(0x1A2B3C4D).half(1).half(0).word(~0u).word(~0u));
  }
  // Options as text.
  File& interface(std::string_view name, std::string_view more = {}, std::uint32_t type = 147) {
    File body(big_);
    body.half(type).half(0).word(0);
    if (!name.empty()) body.half(2).half(static_cast<std::uint32_t>(name.size())).text(name);
    body.bytes_ += more;
    return block(1, body.word(0));
  }
  File& packet(std::uint32_t interface, std::uint64_t time, std::string_view data,
               std::uint32_t flags = 0) {
    File body(big_);
    body.word(interface).word(static_cast<std::uint32_t>(time >> 32));
    body.word(static_cast<std::uint32_t>(time));
    body.word(static_cast<std::uint32_t>(data.size()));
    body.word(static_cast<std::uint32_t>(data.size())).text(data);
    if (flags != 0) body.half(2).half(4).word(flags).word(0);
    return block(6, body);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  File& number(std::uint32_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      bytes_ += static_cast<char>(value >> 8 * (big_ ? size - 1 - i : i) & 0xff);
    }
    return *this;
  }
  bool big_;
  std::string bytes_;
};

const std::string kFlit(68, '\x33');

TEST_F(Pcapng, IsWrittenAsTheFormatHasIt) {
  const std::string bytes = write_all(path("a.pcapng"), {some()[1]});
  // Section header: comment "a run" (option 1), application "cxlgpu" (option 4), end.
  File expected;
  expected.block(0x0A0D0D0A, File()
                                 .word(0x1A2B3C4D)
                                 .half(1)
                                 .half(0)
                                 .word(~0u)
                                 .word(~0u)
                                 .half(1)
                                 .half(5)
                                 .text("a run")
                                 .half(4)
                                 .half(6)
                                 .text("cxlgpu")
                                 .word(0));
  // USER0, no snapshot length, name (2), resolution (9) of 10^-12 s.
  expected.block(1, File()
                        .half(147)
                        .half(0)
                        .word(0)
                        .half(2)
                        .half(7)
                        .text("a-b-S2M")
                        .half(9)
                        .half(1)
                        .text("\x0c")
                        .word(0));
  const Flit two = flit(2);
  const std::string data(two.bytes.begin(), two.bytes.end());
  expected.packet(0, 0x1234567890, data, 1);  // inbound
  EXPECT_EQ(bytes, expected.bytes());
}

TEST_F(Pcapng, ThereAndBack) {
  for (const char* name : {"a.pcapng", "a.pcapng.gz"}) {
    const std::string bytes = write_all(path(name), some());
    EXPECT_EQ(read_all(path(name)), some());
    EXPECT_EQ(bytes.substr(0, 4) == kPcapngMagic, !std::string(name).ends_with(".gz"));
  }
  EXPECT_TRUE(write_all(path("a.log"), some()).starts_with("1 a-b M2S 5555"));
}

TEST_F(Pcapng, EachLinkHasALinkTypeOfItsOwnAsFarAsTheyGo) {
  std::vector<FlitRecord> all;
  for (unsigned link = 0; link < 18; ++link) {
    for (const Direction d : {Direction::M2S, Direction::S2M}) {
      all.push_back({link, "link" + std::to_string(link), d, flit(1)});
    }
  }
  const std::string bytes = write_all(path("a.pcapng"), all);
  std::vector<unsigned> types;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto word = [&](std::size_t i) {
      return static_cast<unsigned char>(bytes[i]) | static_cast<unsigned char>(bytes[i + 1]) << 8;
    };
    if (word(at) == 1) types.push_back(static_cast<unsigned>(word(at + 8)));
    at += static_cast<std::size_t>(word(at + 4));
  }
  ASSERT_EQ(types.size(), 36u);
  for (unsigned i = 0; i < 36; ++i) EXPECT_EQ(types[i], 147 + std::min(i / 2, 15u)) << i;
  EXPECT_EQ(read_all(path("a.pcapng")), all);
}

TEST_F(Pcapng, OfOthers) {
  for (const bool big : {false, true}) {
    File file(big);
    const File resolution_9 = File(big).half(9).half(1).text("\x09");
    const File base_2 = File(big).half(9).half(1).text("\x8a");  // 2^-10 s
    file.header();
    file.interface("x-M2S", resolution_9.bytes());
    file.interface("lab", {}, 162);            // microseconds; the flags say the direction
    file.block(5, File(big).word(0).word(0));  // statistics
    file.interface(
        "y-S2M",
        base_2.bytes() + File(big).half(14).half(8).word(big ? 0 : 1).word(big ? 1 : 0).bytes());
    file.packet(0, 7, kFlit).packet(1, 8, kFlit, 1).packet(1, 9, kFlit, 2).packet(2, 512, kFlit);
    file.packet(1, 10, "recovery");
    // A second section has interfaces of its own.
    file.header().interface("z-S2M").packet(0, 11, "down");
    const auto records = read_bytes(file.bytes());
    ASSERT_EQ(records.size(), 6u);
    EXPECT_EQ(records[0].link, "x");
    EXPECT_EQ(records[0].direction, Direction::M2S);
    EXPECT_EQ(records[0].time_ps, 7000u);
    EXPECT_EQ(records[0].flit.bytes[67], 0x33);
    EXPECT_EQ(records[1].link, "lab");
    EXPECT_EQ(records[1].direction, Direction::S2M);
    EXPECT_EQ(records[1].time_ps, 8'000'000u);
    EXPECT_EQ(records[2].direction, Direction::M2S);
    EXPECT_EQ(records[3].time_ps, 1'500'000'000'000u) << "half a second, and an offset of one";
    EXPECT_TRUE(records[4].recovery);
    EXPECT_TRUE(records[5].down);
    EXPECT_EQ(records[5].link, "z");
  }
}

TEST_F(Pcapng, IsRefusedInOneLine) {
  const auto refused = [&](const std::string& bytes, const std::string& word) {
    const std::string error = error_of(bytes);
    EXPECT_NE(error.find(word), std::string::npos) << error << ", not " << word;
    EXPECT_EQ(error.find(path("bytes")), 0u) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  };
  const std::string good = File().header().interface("x-M2S").packet(0, 1, kFlit).bytes();
  ASSERT_EQ(read_bytes(good).size(), 1u);
  for (std::size_t n = 5; n < good.size(); ++n) {
    if (n == 28 || n == 28 + 36) continue;  // whole blocks
    refused(good.substr(0, n), "is cut short");
  }
  refused("\x0a\x0d\x0d\x0a\x1c\x00\x00\x00" + std::string(20, 'x'), "byte-order magic");
  refused("\xd4\xc3\xb2\xa1" + std::string(20, '\0'), "is a pcap file");
  refused(std::string("\xa1\xb2\x3c\x4d") + std::string(20, '\0'), "is a pcap file");
  std::string lengths = good;
  lengths[24] = '\x20';
  refused(lengths, "two lengths");
  std::string huge = good;
  huge[6] = '\x7f';
  refused(huge, "a block of");
  refused(File().header().interface("x-M2S", {}, 1).bytes(), "link type 1");
  refused(File().header().packet(0, 1, kFlit).bytes(), "interface 0, which is not described");
  refused(File().header().interface("x-M2S").packet(0, 1, "short").bytes(), "5 bytes is no flit");
  refused(File().header().interface("lab").packet(0, 1, kFlit).bytes(), "says no direction");
  refused(File().header().interface("a b-M2S").bytes(), "has a space");
  refused(File().header().interface("x-M2S").packet(0, ~0ull, kFlit).bytes(), "out of range");
  refused(File().header().block(3, File().word(68).text(kFlit)).bytes(), "without a time");
  refused(File().header().interface("x", File().half(9).half(1).text("\x7f").bytes()).bytes(),
          "unknown resolution");
  refused(File().header().interface("x", File().half(4).half(99).bytes()).bytes(),
          "option is longer");
  refused(File().header().block(1, File().word(147)).bytes(), "cut short");
  File part;
  part.header().interface("x-M2S");
  part.block(6, File().word(0).word(0).word(1).word(8).word(68).text("12345678"));
  refused(part.bytes(), "captured in part");
  EXPECT_NE(error_of(good + good.substr(28, 20)).find(": block 4: is cut short"),
            std::string::npos);
}

// Any bytes behind a good beginning, and any change of a good file: an end, or one line.
TEST_F(Pcapng, ChangedBytesAreReadOrRefused) {
  std::mt19937_64 random(7);
  const std::string good = write_all(path("a.pcapng"), some());
  unsigned refused = 0;
  for (unsigned i = 0; i < 400; ++i) {
    std::string bytes = good;
    for (unsigned n = 0; n < 1 + i % 4; ++n) {
      bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    }
    const std::string error = error_of(bytes);
    refused += error == "no error" ? 0 : 1;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_GT(refused, 50u);
  EXPECT_LT(refused, 400u);
}

}  // namespace
}  // namespace cxlgpu::flits

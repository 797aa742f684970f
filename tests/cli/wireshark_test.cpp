// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Wireshark's dissector (share/wireshark) and `cxlgpu flit decode`, written apart from each other,
// say the same of every flit: of a run with damaged flits, and of streams that hold every message,
// format, control flit and packet there is.
//
// Needs tshark and sharkd (scripts/deps.sh wireshark). Without them it says so and is skipped,
// unless CXLGPU_NEEDS_TSHARK is set, as CI does.
#include <sys/wait.h>
#include <zlib.h>

#include <bit>
#include <deque>
#include <random>

#include "flits/almp.hpp"
#include "flits/flit_log.hpp"
#include "tests/cli/cli.hpp"
#include "tests/flits/stream.hpp"

namespace cxlgpu {
namespace {

using flits::Direction;
using flits::Flit;
using flits::FlitRecord;

class CliWireshark : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (std::system("command -v tshark >/dev/null && command -v sharkd >/dev/null") == 0) return;
    if (std::getenv("CXLGPU_NEEDS_TSHARK") != nullptr) {
      FAIL() << "no tshark or no sharkd: scripts/deps.sh wireshark";
    }
    GTEST_SKIP() << "no tshark or no sharkd: scripts/deps.sh wireshark";
  }

  // Of every flit every field, in one pass, in two and in random order.
  void expect_same(const std::string& capture, std::size_t least, const std::string& options) {
    const std::string said = (dir_ / "said").string();
    const std::string command =
        "python3 '" CXLGPU_SOURCE_DIR "/tests/cli/wireshark_compare.py' --cxlgpu '" CXLGPU_BINARY
        "' --lua '" CXLGPU_SOURCE_DIR "/share/wireshark/cxl68.lua' --least " +
        std::to_string(least) + " '" + (dir_ / capture).string() + "' " + options + " > '" + said +
        "' 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read_text(said);
    std::cout << read_text(said);
  }
};

TEST_F(CliWireshark, ALoggedRunWithDamagedFlits) {
  accepted({"run", "vadd-znand-sr", "--engine", "cosim", "--set", "workload.size=12288", "--set",
            "link.bit_error_rate_m2s=1e-5", "--set", "link.bit_error_rate_s2m=1e-5", "--flit-log",
            "n.pcapng"});
  expect_same(
      "n.pcapng", 10000,
      "--reach MemRd MemSpecRd MemWr MemData Cmp 'CRC error' discarded RETRY.Req RETRY.Ack "
      "RETRY.Frame INIT.Param LLCRD ALMP all-data CfgRd0 CfgWr0 CplD MRd MWr Ack InitFC1-P");
}

// What another tool makes of the file is read as well; its times are in nanoseconds.
TEST_F(CliWireshark, WhatTsharkSavesCanBeDecoded) {
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=1024", "--flit-log",
            "f.pcapng"});
  const std::string f = (dir_ / "f.pcapng").string(), g = (dir_ / "g.pcapng").string();
  ASSERT_EQ(std::system(("tshark -r '" + f + "' -w '" + g + "' 2>/dev/null").c_str()), 0);
  const auto flits_of = [&](const std::string& file) {
    std::vector<std::string> lines = lines_of(accepted({"flit", "decode", file}).out);
    for (std::string& line : lines) line.erase(0, line.find(' '));
    return lines;
  };
  EXPECT_EQ(flits_of("g.pcapng"), flits_of("f.pcapng"));
  EXPECT_EQ(accepted({"flit", "check", "g.pcapng"}).out,
            accepted({"flit", "check", "f.pcapng"}).out);
}

// ---- streams of everything -------------------------------------------------------------------

// DWs of CXL.io: TLPs and DLLPs of every kind, some damaged, some nullified, idle in between.
class IoMaker {
 public:
  explicit IoMaker(std::uint64_t seed) : random_(seed) {}

  Flit flit() {
    Flit made;
    made.set_protocol_id(below(2) != 0 ? flits::ProtocolId::Io : flits::ProtocolId::IoEds);
    while (bytes_.size() < 64) packet();
    std::copy_n(bytes_.begin(), 64, made.payload().begin());
    bytes_.erase(bytes_.begin(), bytes_.begin() + 64);
    return made;
  }
  void forget() { bytes_.clear(); }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  void byte(std::uint64_t value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }

  void packet() {
    const auto what = below(20);
    if (what < 4) {
      for (auto n = 4 * (1 + below(8)); n > 0; --n) byte(0);
    } else if (what < 9) {
      dllp();
    } else if (what == 9 && below(8) == 0) {
      for (int i = 0; i < 4; ++i) byte(below(256));  // hardly a token
    } else {
      tlp();
    }
  }

  void dllp() {
    static constexpr std::uint8_t kTypes[] = {0x00, 0x10, 0x40, 0x51, 0x62, 0x80, 0x97, 0xA0, 0xC0,
                                              0xD3, 0xE0, 0x02, 0x20, 0x21, 0x23, 0x24, 0x30, 0x31};
    std::array<std::uint8_t, 4> body{below(6) == 0 ? static_cast<std::uint8_t>(below(256))
                                                   : kTypes[below(std::size(kTypes))]};
    for (int i = 1; i < 4; ++i)
      body[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(below(256));
    unsigned crc = 0xFFFF;
    for (const unsigned b : body) {
      for (unsigned i = 0; i < 8; ++i) {
        crc = ((crc ^ b >> i) & 1) != 0 ? crc >> 1 ^ 0xD008 : crc >> 1;
      }
    }
    crc = ~crc ^ (below(10) == 0 ? 4u : 0u);
    byte(0xF0), byte(0xAC);
    for (const auto b : body) byte(b);
    byte(crc), byte(crc >> 8);
  }

  void tlp() {
    static constexpr std::uint8_t kFirst[] = {0x00, 0x20, 0x40, 0x60, 0x01, 0x21, 0x02, 0x42, 0x04,
                                              0x44, 0x05, 0x45, 0x0A, 0x4A, 0x0B, 0x4B, 0x4C, 0x6C,
                                              0x4D, 0x4E, 0x30, 0x32, 0x34, 0x70, 0x72, 0x73, 0x80};
    const auto first =
        below(12) == 0 ? static_cast<std::uint8_t>(below(256)) : kFirst[below(std::size(kFirst))];
    const bool has_data = (first & 0x40) != 0;
    const std::size_t data = has_data ? 1 + below(below(9) == 0 ? 40 : 3) : 0;
    const std::size_t header = (first & 0x20) != 0 ? 4 : 3;
    std::vector<std::uint8_t> body;
    for (std::size_t i = 0; i < 4 * (header + data); ++i) {
      body.push_back(static_cast<std::uint8_t>(below(256)));
    }
    body[0] = first;
    if (below(4) == 0) body[7] = 0x7E;  // a code of messages
    const unsigned length = static_cast<unsigned>(header + data + 2);
    unsigned fcrc = 0;
    for (unsigned i = 0; i < 11; ++i) {
      if ((length >> i & 1) == 0) continue;
      unsigned power = 1;  // x^(14-i)
      for (unsigned k = 0; k < 14 - i; ++k) power = (power << 1) ^ ((power & 8) != 0 ? 0x13u : 0u);
      fcrc ^= power;
    }
    const unsigned parity = static_cast<unsigned>(std::popcount(length) + std::popcount(fcrc)) & 1;
    const unsigned sequence = static_cast<unsigned>(below(4096));
    std::vector<std::uint8_t> covered{static_cast<std::uint8_t>(sequence >> 8),
                                      static_cast<std::uint8_t>(sequence)};
    covered.insert(covered.end(), body.begin(), body.end());
    auto crc =
        static_cast<std::uint32_t>(crc32(0, covered.data(), static_cast<unsigned>(covered.size())));
    const bool nullified = below(12) == 0;
    if (nullified) crc = ~crc;
    if (below(15) == 0) crc ^= 0x100;
    byte((length & 0xF) << 4 | 0xF), byte(parity << 7 | length >> 4);
    byte(fcrc << 4 | sequence >> 8), byte(sequence);
    bytes_.insert(bytes_.end(), body.begin(), body.end());
    for (unsigned i = 0; i < 4; ++i) byte(crc >> 8 * i);
    if (nullified) {
      for (int i = 0; i < 4; ++i) byte(0xC0);
    }
  }

  std::mt19937_64 random_;
  std::deque<std::uint8_t> bytes_;
};

// Two links both ways, brought up by ALMPs: random streams of every message, in them CXL.io, NULL,
// damage. After a bad CRC comes a retry, which begins again where the receiver stopped; after a
// protocol ID or an ALMP that cannot be read, Recovery and then the retry of both ways.
class LogMaker {
 public:
  LogMaker(std::uint64_t seed, unsigned flits) : random_(seed), seed_(seed) {
    for (unsigned link = 0; link < 2; ++link) {
      for (const Direction d : {Direction::M2S, Direction::S2M})
        ends_.push_back(end(link, d, flits));
      for (const auto protocol : kProtocols) {
        // Request and answer both ways; the host speaks first.
        log(ends_[2 * link], almp(protocol, true));
        log(ends_[2 * link + 1], almp(protocol, false));
        log(ends_[2 * link + 1], almp(protocol, true));
        log(ends_[2 * link], almp(protocol, false));
      }
    }
  }

  std::vector<FlitRecord> make() {
    for (;;) {
      std::vector<std::size_t> left;
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        if (!ends_[i].todo.empty() || ends_[i].at < ends_[i].steps.size()) left.push_back(i);
      }
      if (left.empty()) return std::move(log_);
      step(left[below(left.size())]);
    }
  }

 private:
  struct End {
    unsigned link;
    Direction direction;
    std::vector<flits::test::Stream::Step> steps;
    std::size_t at = 0;
    std::deque<Flit> todo;  // a retry
    bool waits = false;     // the receiver has seen damage
    bool deaf = false;      // ... and waits for Recovery
    unsigned asked = 0;     // its NUM_RETRY
    IoMaker io;
  };

  End end(unsigned link, Direction d, unsigned flits) {
    const std::uint64_t seed = seed_ * 64 + link * 2 + flits::index(d);
    auto steps = flits::test::StreamMaker(d, seed).make(flits).steps;
    // A RETRY flit of the stream's own has no place in a retry that is meant.
    std::erase_if(steps, [](const auto& s) {
      return s.owed_before < 4 && s.flit.is_control() &&
             flits::classify_retry(s.flit).has_value() &&
             !std::holds_alternative<flits::RetryIdle>(*flits::classify_retry(s.flit));
    });
    return {link, d, std::move(steps), 0, {}, false, false, 0, IoMaker(seed)};
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  void log(const End& e, const Flit& flit) {
    time_ += below(5000);
    log_.push_back({time_, "link" + std::to_string(e.link), e.direction, flit});
  }

  static constexpr std::array kProtocols{flits::AlmpLink::Io, flits::AlmpLink::CacheMem};
  static Flit almp(flits::AlmpLink protocol, bool request) {
    return flits::encode_almp({protocol, request, flits::LinkState::Active});
  }

  // What ends in Recovery.
  Flit unreadable(Flit flit) {
    switch (below(4)) {
      case 0:  // both bytes of the ID
        flit.bytes[0] = 0x30;
        flit.bytes[1] = 0x31;
        break;
      case 1:  // two IDs
        flit.set_protocol_id(flits::ProtocolId::CacheMem);
        flit.bytes[0] = 0xFF;
        break;
      case 2:  // a Request for it
        flit = flits::encode_almp({flits::AlmpLink::CacheMem, true, flits::LinkState::Retrain});
        flit.set_protocol_id(flits::ProtocolId::AlmpEds);
        break;
      default:
        flit = almp(flits::AlmpLink::CacheMem, false);
        flit.bytes[2 + below(16)] ^= static_cast<std::uint8_t>(1 << below(8));
    }
    return flit;
  }

  void frames(std::deque<Flit>& to, unsigned count) {
    while (count-- > 0) to.push_back(flits::encode_control(flits::RetryFrame{}));
  }

  // The receiver of `e` asks, and `e` answers; now and then first what does not count.
  void retry(std::size_t index) {
    End& e = ends_[index];
    End& back = ends_[index ^ 1];
    if (back.deaf) return recover(e.link);  // it would not hear the request
    ++e.asked;
    const auto number = static_cast<std::uint8_t>(e.asked % 32);
    std::deque<Flit> request;
    if (below(3) == 0) {  // four Frames are too few
      frames(request, 4);
      request.push_back(flits::encode_control(
          flits::RetryReq{0, static_cast<std::uint8_t>((number + 7) % 32), 0}));
    }
    frames(request, 5);
    request.push_back(flits::encode_control(flits::RetryReq{0, number, 0}));
    back.todo.insert(back.todo.begin(), request.begin(), request.end());
    flush(index ^ 1);  // it must be seen before its answer
    flits::RetryAck ack;
    if (below(3) == 0) {  // stale, and without Frames
      frames(e.todo, 5);
      ack.num_retry = static_cast<std::uint8_t>((number + 5) % 32);
      e.todo.push_back(flits::encode_control(ack));
      ack.num_retry = number;
      e.todo.push_back(flits::encode_control(ack));
      e.todo.push_back(e.steps[e.at].flit);  // in the shadow
    }
    frames(e.todo, 5 + static_cast<unsigned>(below(2)));
    ack.num_retry = number;
    e.todo.push_back(flits::encode_control(ack));
    e.waits = false;
  }
  void flush(std::size_t index) {
    End& e = ends_[index];
    for (; !e.todo.empty(); e.todo.pop_front()) log(e, e.todo.front());
  }

  void step(std::size_t index) {
    End& e = ends_[index];
    if (below(10) == 0) return log(e, e.io.flit());
    if (below(80) == 0) {
      Flit null;
      null.set_protocol_id(below(2) == 0 ? flits::ProtocolId::Null : flits::ProtocolId::NullEds);
      return log(e, null);
    }
    const Flit& next = e.steps[std::min(e.at + below(4), e.steps.size() - 1)].flit;
    if (e.deaf) return below(4) != 0 ? log(e, next) : recover(e.link);
    if (!e.todo.empty()) {
      log(e, e.todo.front());
      e.todo.pop_front();
      return;
    }
    if (e.waits) return below(3) != 0 ? log(e, next) : retry(index);  // in the shadow
    if (below(300) == 0) return recover(e.link);
    if (below(150) == 0) {
      e.deaf = true;
      return log(e, unreadable(next));
    }
    if (below(40) == 0) {
      Flit flit = e.steps[e.at].flit;
      flit.bytes[2 + below(66)] ^= static_cast<std::uint8_t>(1 << below(8));
      e.waits = true;
      return log(e, flit);
    }
    Flit flit = e.steps[e.at++].flit;
    if (below(10) == 0) flit.set_protocol_id(flits::ProtocolId::CacheMemEds);
    if (below(50) == 0) flit.bytes[below(2)] = 0x31;  // corrected by the other
    log(e, flit);
  }

  void recover(unsigned link) {
    FlitRecord record;
    record.time_ps = time_;
    record.link = "link" + std::to_string(link);
    record.recovery = true;
    log_.push_back(record);
    for (End& e : ends_) {
      if (e.link != link) continue;
      e.waits = true;
      e.deaf = false;
      e.todo.clear();
      e.io.forget();
      for (const auto protocol : kProtocols) {  // each end tells its state
        Flit status = almp(protocol, false);
        if (below(4) == 0) status.bytes[20 + below(48)] = 1;  // the rest is not looked at
        log(e, status);
      }
    }
  }

  std::mt19937_64 random_;
  std::uint64_t seed_, time_ = 0;
  std::vector<End> ends_;
  std::vector<FlitRecord> log_;
};

TEST_F(CliWireshark, StreamsOfEverything) {
  const char* seed = std::getenv("CXLGPU_SEED");
  const std::uint64_t from = seed == nullptr ? 1 : std::strtoull(seed, nullptr, 0);
  flits::FlitLogWriter writer((dir_ / "s.pcapng").string());
  for (const FlitRecord& record : LogMaker(from, 800).make()) writer.write(record);
  writer.close();
  expect_same(
      "s.pcapng", 3000,
      "--reach 'M2S Req' 'M2S RwD' 'S2M NDR' 'S2M DRS' 'H2D Req' 'H2D Rsp' 'H2D DH' 'D2H Req' 'D2H "
      "Rsp' "
      "'D2H DH' H0 H1 H2 H3 H4 H5 G0 G1 G2 G3 G4 G5 G6 'byte enables' all-data "
      "IDE.Idle IDE.Start IDE.TMAC LLCRD RETRY.Idle RETRY.Req RETRY.Ack RETRY.Frame INIT.Param "
      "'CRC error' discarded damaged recovery 'CXL.io+EDS' 'CXL.cachemem+EDS' 'ALMP+EDS' NULL+EDS "
      " "
      "NULL 'ALMP with a fault' TLP DLLP EDB 'framing error' begins ends 'goes on' nullified "
      "'packet with a CRC error' Ack Nak UpdateFC-NP InitFC2-Cpl NOP 'reserved DLLP' MRd MWr MRdLk "
      "IORd IOWr CfgRd0 CfgWr1 Cpl CplD CplLk CplDLk FetchAdd Swap CAS Msg MsgD prefix "
      "'reserved TLP'");
}

// Any bytes at all under an ID of CXL.cachemem: codes that are reserved, bits that should be 0.
TEST_F(CliWireshark, AnyBytes) {
  std::mt19937_64 random(11);
  flits::FlitLogWriter writer((dir_ / "r.pcapng").string());
  for (unsigned i = 0; i < 1500; ++i) {
    Flit flit;
    for (auto& byte : flit.bytes) byte = static_cast<std::uint8_t>(random());
    static constexpr std::uint8_t kIds[] = {0x55, 0x55, 0x55, 0x55, 0x87, 0xCC, 0x1E, 0x99};
    flit.bytes[0] = flit.bytes[1] = kIds[random() % std::size(kIds)];
    if (random() % 3 == 0) std::fill(flit.bytes.begin() + 7, flit.bytes.end(), 0);  // control codes
    if (random() % 4 != 0) flit.set_crc();
    // A link a flit, so that none is in the shadow of another or owes it data.
    writer.write(i, "l" + std::to_string(i), random() % 2 == 0 ? Direction::M2S : Direction::S2M,
                 flit);
  }
  writer.close();
  expect_same("r.pcapng", 1500,
              "--in-order --reach 'reserved control' 'CRC error' H6 H7 G6 G7 'ALMP with a fault'");
}

}  // namespace
}  // namespace cxlgpu

// cxl_io: both ends of CXL.io over a wire that damages and loses flits, seen as a host sees them.
//
// Independent of the RTL: framing, LCRC and DLLP CRC of every flit sent are decoded here from the
// tables of docs/blocks.md, and register values are written out by hand from the CXL 2.0 layout
// (DVSECs, component registers, HDM decoder).
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vio_pair.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

using Flit = LineBytes;

constexpr std::uint32_t kOnes = 0xffff'ffff;
constexpr unsigned kReplayDepth = 4;     // of io_link
constexpr unsigned kCplTimeout = 20000;  // of io_pair_tb.sv

// ------------------------------------------------------------------------------------------------
// Flits on the wire
// ------------------------------------------------------------------------------------------------

// 100Bh, least significant bit of each byte first.
std::uint16_t dllp_crc(const Flit& flit) {
  std::uint16_t crc = 0xffff;
  for (std::size_t i = 2; i < 6; ++i) {
    crc ^= flit[i];
    for (int bit = 0; bit < 8; ++bit)
      crc = static_cast<std::uint16_t>((crc >> 1) ^ ((crc & 1) != 0 ? 0xd008 : 0));
  }
  return static_cast<std::uint16_t>(~crc);
}

// x^4 + x + 1 over the 11 bits of Length, bit 0 first.
unsigned length_crc(unsigned length) {
  unsigned crc = 0;
  for (unsigned i = 0; i < 11; ++i) {
    const bool feedback = ((crc >> 3 ^ length >> i) & 1) != 0;
    crc = (crc << 1 & 0xf) ^ (feedback ? 0x3 : 0);
  }
  return crc;
}

std::uint32_t lcrc(unsigned sequence, const Flit& flit, std::size_t tlp_bytes) {
  const std::array<Bytef, 2> head{static_cast<Bytef>(sequence >> 8), static_cast<Bytef>(sequence)};
  const uLong crc = crc32(crc32(0, nullptr, 0), head.data(), head.size());
  return static_cast<std::uint32_t>(crc32(crc, flit.data() + 4, static_cast<uInt>(tlp_bytes)));
}

std::uint32_t little_endian(const Flit& flit, std::size_t at) {
  return flit[at] | flit[at + 1] << 8 | flit[at + 2] << 16 | std::uint32_t{flit[at + 3]} << 24;
}

struct Packet {
  bool is_tlp = false;
  unsigned type = 0;  // first byte of the TLP or DLLP
  unsigned sequence = 0;
  std::string wrong;  // empty if the flit is as the page says
};

bool idle_from(const Flit& flit, std::size_t at) {
  for (; at < flit.size(); ++at)
    if (flit[at] != 0) return false;
  return true;
}

Packet decode_dllp(const Flit& flit) {
  Packet packet{.is_tlp = false, .type = flit[2], .sequence = 0, .wrong = {}};
  static const std::set<unsigned> kSent{0x00, 0x10, 0x40, 0x50, 0x60, 0x80, 0x90, 0xc0, 0xd0, 0xe0};
  const bool acknowledge = (flit[2] & 0xc0) == 0;
  if ((flit[6] | flit[7] << 8) != dllp_crc(flit)) packet.wrong = "DLLP CRC";
  if (!kSent.contains(packet.type)) packet.wrong = "DLLP type";
  if (acknowledge ? (flit[3] != 0 || (flit[4] & 0xf0) != 0)
                  : ((flit[3] & 0xc0) != 0 || (flit[4] & 0x30) != 0))
    packet.wrong = "reserved bits of a DLLP";
  if (!idle_from(flit, 8)) packet.wrong = "bytes after a DLLP";
  return packet;
}

Packet decode_tlp(const Flit& flit) {
  const unsigned length = flit[0] >> 4 | (flit[1] & 0x7f) << 4;
  const unsigned check = flit[2] >> 4;
  Packet packet{
      .is_tlp = true, .type = flit[4], .sequence = (flit[2] & 0xfu) << 8 | flit[3], .wrong = {}};
  const bool four_dw_header = (flit[4] & 0x20) != 0;
  const bool has_data = (flit[4] & 0x40) != 0;
  const unsigned tlp_dws = 3 + (four_dw_header ? 1 : 0) + (has_data ? 1 : 0);
  if ((flit[0] & 0xf) != 0xf) {
    packet.wrong = "no token";
  } else if (length != tlp_dws + 2) {
    packet.wrong = "length of a TLP";
  } else if (check != length_crc(length)) {
    packet.wrong = "FCRC";
  } else if (__builtin_parity(length << 4 | check) != flit[1] >> 7) {
    packet.wrong = "frame parity";
  } else if (little_endian(flit, 4 + 4 * tlp_dws) != lcrc(packet.sequence, flit, 4 * tlp_dws)) {
    packet.wrong = "LCRC";
  } else if (!idle_from(flit, 8 + 4 * tlp_dws)) {
    packet.wrong = "bytes after a TLP";
  }
  return packet;
}

Packet decode(const Flit& flit) {
  return flit[0] == 0xf0 && flit[1] == 0xac ? decode_dllp(flit) : decode_tlp(flit);
}

// What one end sends: right flits; new TLPs numbered in order from 0; a number sent again carries
// the same bytes. Keeps the first thing that was wrong.
class SendChecker {
 public:
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] std::uint64_t replayed() const { return replayed_; }

  void flit(const Flit& flit, bool link_up) {
    const Packet packet = decode(flit);
    note(packet.wrong);
    if (link_up && packet.is_tlp) number(packet.sequence, flit);
  }
  void link_down() {
    history_.clear();
    next_ = 0;
  }

 private:
  void number(unsigned sequence, const Flit& flit) {
    if (sequence == next_) {
      next_ = (next_ + 1) % 4096;
      history_.push_front(flit);
      if (history_.size() > kReplayDepth) history_.pop_back();
      return;
    }
    const unsigned back = (next_ - sequence - 1) % 4096;
    ++replayed_;
    if (back >= history_.size()) {
      note("sequence number out of the replay window");
    } else if (history_[back] != flit) {
      note("a replay differs from the first transmission");
    }
  }
  void note(const std::string& wrong) {
    if (wrong_.empty()) wrong_ = wrong;
  }

  std::string wrong_;
  std::deque<Flit> history_;  // newest first
  unsigned next_ = 0;
  std::uint64_t replayed_ = 0;
};

// One direction: a delay, and percent of the flits lost or with 1 to 40 bits inverted, half each.
class Wire {
 public:
  explicit Wire(unsigned delay) : delay_(delay) {}
  void set_damage(unsigned percent) { damage_ = percent; }
  void set_cut(bool cut) { cut_ = cut; }
  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }

  void send(std::uint64_t cycle, Flit flit, Random& random) {
    if (cut_) return;
    if (random.percent(damage_)) {
      ++damaged_;
      if (random.percent(50)) return;
      invert_bits(flit, random);
    }
    flits_.push_back({cycle + delay_, flit});
  }
  std::optional<Flit> receive(std::uint64_t cycle) {
    if (flits_.empty() || flits_.front().due > cycle) return std::nullopt;
    const Flit flit = flits_.front().flit;
    flits_.pop_front();
    return flit;
  }
  void clear() { flits_.clear(); }

 private:
  // Within the bytes a packet can have; the rest is not looked at by a receiver.
  static void invert_bits(Flit& flit, Random& random) {
    for (std::uint64_t n = 1 + random.below(40); n > 0; --n) {
      const std::uint64_t bit = random.below(28 * 8);
      flit[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
  }
  struct Entry {
    std::uint64_t due;
    Flit flit;
  };
  std::deque<Entry> flits_;
  std::uint64_t delay_;
  std::uint64_t damaged_ = 0;
  unsigned damage_ = 0;
  bool cut_ = false;
};

// ------------------------------------------------------------------------------------------------
// The bench: a host that makes one request at a time
// ------------------------------------------------------------------------------------------------

enum class Op : unsigned { kCfgRd0, kCfgWr0, kCfgRd1, kCfgWr1, kMemRd, kMemWr };
enum class Status : unsigned { kSuccess = 0, kUnsupported = 1, kAbort = 4, kNoAnswer = 7 };

struct Response {
  Status status;
  std::uint32_t data;
  bool operator==(const Response&) const = default;
};
void PrintTo(const Response& r, std::ostream* os) {
  *os << "status " << static_cast<unsigned>(r.status) << " data 0x" << std::hex << r.data
      << std::dec;
}
constexpr Response kDone{Status::kSuccess, 0};
constexpr Response kUnsupportedRead{Status::kUnsupported, kOnes};
constexpr Response kUnsupportedWrite{Status::kUnsupported, 0};
constexpr Response kNoAnswer{Status::kNoAnswer, kOnes};

constexpr std::uint64_t function_address(unsigned bus, unsigned device, unsigned function,
                                         unsigned offset = 0) {
  return std::uint64_t{bus} << 20 | device << 15 | function << 12 | offset;
}

struct Conditions {
  std::uint64_t seed = 1;
  unsigned damage_percent = 0;
  unsigned ready_percent = 100;  // of the cycles in which the wire takes a flit
  unsigned down_delay = 20;      // cycles, to the endpoint
  unsigned up_delay = 20;
};

class Bench {
 public:
  explicit Bench(const Conditions& c)
      : random(c.seed), to_ep(c.down_delay), to_rp(c.up_delay), ready_percent_(c.ready_percent) {
    to_ep.set_damage(c.damage_percent);
    to_rp.set_damage(c.damage_percent);
    rtl_->rsp_ready_i = 0;
    rtl_.reset();
    rtl_->mem_active_i = 1;
    rtl_->link_up_i = 1;
  }

  Random random;
  Wire to_ep, to_rp;
  SendChecker rp_sent, ep_sent;
  std::vector<Flit> rp_first, ep_first;  // the first flits sent

  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  // Pulses of event_o: 0 unsupported request, 1 abort, 2 poisoned write, 3 unexpected completion.
  [[nodiscard]] std::uint64_t events(unsigned bit) const { return events_[bit]; }
  [[nodiscard]] std::uint64_t unexpected() const { return unexpected_; }
  // Ack out of range, malformed TLP, no room.
  [[nodiscard]] std::uint64_t fatal_errors() const { return fatal_errors_; }
  [[nodiscard]] std::size_t stray_responses() const { return responses_.size(); }
  [[nodiscard]] bool mem_enable() { return rtl_->mem_enable_o != 0; }
  [[nodiscard]] bool config_lock() { return rtl_->config_lock_o != 0; }
  void set_mem_active(bool active) { rtl_->mem_active_i = active; }

  // The device address of a host address, by the endpoint's committed decoders.
  std::optional<std::uint64_t> translate(std::uint64_t hpa) {
    rtl_->hpa_line_i = hpa / 64;
    rtl_.settle();
    if (rtl_->hit_o == 0) return std::nullopt;
    return std::uint64_t{rtl_->dpa_line_o} * 64;
  }

  void step() {
    rtl_->rp_tx_ready_i = random.percent(ready_percent_);
    rtl_->ep_tx_ready_i = random.percent(ready_percent_);
    rtl_->rsp_ready_i = random.percent(50);
    receive(to_ep, rtl_->ep_rx_valid_i, rtl_->ep_rx_data_i);
    receive(to_rp, rtl_->rp_rx_valid_i, rtl_->rp_rx_data_i);
    rtl_.settle();
    if (rtl_->rp_tx_valid_o && rtl_->rp_tx_ready_i)
      sent(get_line(rtl_->rp_tx_data_o), rp_sent, rp_first, to_ep);
    if (rtl_->ep_tx_valid_o && rtl_->ep_tx_ready_i)
      sent(get_line(rtl_->ep_tx_data_o), ep_sent, ep_first, to_rp);
    if (rtl_->rsp_valid_o && rtl_->rsp_ready_i)
      responses_.push_back({static_cast<Status>(get_bits(rtl_->rsp_o, 32, 3)),
                            static_cast<std::uint32_t>(get_bits(rtl_->rsp_o, 0, 32))});
    count_events();
    rtl_.edge();
    ++cycle_;
  }
  void steps(std::uint64_t n) {
    for (; n > 0; --n) step();
  }

  void bring_up() {
    step_until([this] { return rtl_->rp_dl_up_o && rtl_->ep_dl_up_o; },
               "data link does not come up");
  }
  // Both ends lose the link, and what is on the wire with it.
  void bounce(std::uint64_t cycles_down) {
    rtl_->link_up_i = 0;
    steps(cycles_down);
    to_ep.clear();
    to_rp.clear();
    rp_sent.link_down();
    ep_sent.link_down();
    rtl_->link_up_i = 1;
    bring_up();
  }

  void start(Op op, std::uint64_t address, std::uint32_t data = 0, unsigned enables = 0xf) {
    set_bits(rtl_->req_i, 100, 3, static_cast<unsigned>(op));
    set_bits(rtl_->req_i, 36, 64, address);
    set_bits(rtl_->req_i, 32, 4, enables);
    set_bits(rtl_->req_i, 0, 32, data);
    rtl_->req_valid_i = 1;
    rtl_.settle();
    step_until([this] { return rtl_->req_ready_o != 0; }, "request not taken");
    if (!responses_.empty()) throw std::runtime_error("a response without a request");
    step();
    rtl_->req_valid_i = 0;
  }
  Response finish() {
    step_until([this] { return !responses_.empty(); }, "request not answered");
    const Response response = responses_.front();
    responses_.pop_front();
    return response;
  }
  Response request(Op op, std::uint64_t address, std::uint32_t data = 0, unsigned enables = 0xf) {
    start(op, address, data, enables);
    return finish();
  }

  // The device at 1:0.0 and its memory: these must succeed.
  std::uint32_t config_read(unsigned offset) {
    return succeed(request(Op::kCfgRd0, function_address(1, 0, 0, offset)));
  }
  void config_write(unsigned offset, std::uint32_t data, unsigned enables = 0xf) {
    EXPECT_EQ(succeed(request(Op::kCfgWr0, function_address(1, 0, 0, offset), data, enables)), 0u);
  }
  std::uint32_t read(std::uint64_t address) { return succeed(request(Op::kMemRd, address)); }
  void write(std::uint64_t address, std::uint32_t data, unsigned enables = 0xf) {
    EXPECT_EQ(succeed(request(Op::kMemWr, address, data, enables)), 0u);
  }

 private:
  template <typename Condition>
  void step_until(Condition condition, const char* what) {
    const std::uint64_t limit = cycle_ + 3 * kCplTimeout;
    while (!condition()) {
      if (cycle_ == limit) throw std::runtime_error(what);
      step();
    }
  }
  static std::uint32_t succeed(const Response& response) {
    if (response.status != Status::kSuccess)
      throw std::runtime_error("status " + std::to_string(static_cast<unsigned>(response.status)));
    return response.data;
  }
  template <typename Data>
  void receive(Wire& wire, CData& valid, Data& data) {
    const std::optional<Flit> flit = wire.receive(cycle_);
    valid = flit.has_value();
    if (flit) set_line(data, 0, *flit);
  }
  void sent(const Flit& flit, SendChecker& checker, std::vector<Flit>& first, Wire& wire) {
    const bool up = rtl_->link_up_i != 0;
    checker.flit(flit, up);
    if (!up) return;
    if (first.size() < 64) first.push_back(flit);
    wire.send(cycle_, flit, random);
  }
  void count_events() {
    for (unsigned bit = 0; bit < 4; ++bit) events_[bit] += get_bits(rtl_->event_o, bit, 1);
    unexpected_ += rtl_->unexpected_o;
    fatal_errors_ += (rtl_->rp_err_o >> 5) != 0;
    fatal_errors_ += (rtl_->ep_err_o >> 5) != 0;
  }

  Clocked<Vio_pair> rtl_;
  std::deque<Response> responses_;
  std::array<std::uint64_t, 4> events_{};
  std::uint64_t cycle_ = 0, unexpected_ = 0, fatal_errors_ = 0;
  unsigned ready_percent_;
};

void expect_quiet(Bench& bench, std::uint64_t unsupported, std::uint64_t unexpected = 0) {
  bench.steps(100);
  EXPECT_EQ(bench.rp_sent.wrong(), "");
  EXPECT_EQ(bench.ep_sent.wrong(), "");
  EXPECT_EQ(bench.unexpected(), unexpected);
  EXPECT_EQ(bench.stray_responses(), 0u);
  EXPECT_EQ(bench.fatal_errors(), 0u);
  EXPECT_EQ(bench.events(0), unsupported);
  EXPECT_EQ(bench.events(2), 0u);
  EXPECT_EQ(bench.events(3), 0u);
}

// ------------------------------------------------------------------------------------------------
// Enumeration
// ------------------------------------------------------------------------------------------------

constexpr unsigned kVendorDvsec = 0x1'0000;  // key of our own DVSEC 1, not one of CXL's

struct Device {
  std::uint64_t bar0 = 0;
  std::map<unsigned, unsigned> dvsec;  // offset by DVSEC ID
  std::uint64_t component = 0;         // register blocks, by the locator
  std::uint64_t hdm = 0;               // HDM decoder structure, by the capability array
  std::uint64_t vendor = 0;
};

void size_bar0(Bench& bench) {
  bench.config_write(0x10, kOnes);
  bench.config_write(0x14, kOnes);
  bench.config_write(0x18, kOnes);
  EXPECT_EQ(bench.config_read(0x10), 0xfffe'0004u);  // 128 KiB, 64 bits, memory
  EXPECT_EQ(bench.config_read(0x14), kOnes);
  EXPECT_EQ(bench.config_read(0x18), 0u);  // no other
}

void map_bar0(Bench& bench, std::uint64_t address) {
  bench.config_write(0x10, static_cast<std::uint32_t>(address));
  bench.config_write(0x14, static_cast<std::uint32_t>(address >> 32));
  bench.config_write(0x04, 0x0006, 0x3);  // memory space, bus master
}

std::vector<unsigned> walk_capabilities(Bench& bench) {
  std::vector<unsigned> ids;
  for (unsigned at = bench.config_read(0x34) & 0xff; at != 0 && ids.size() < 48;) {
    const std::uint32_t header = bench.config_read(at);
    ids.push_back(header & 0xff);
    at = header >> 8 & 0xff;
  }
  return ids;
}

std::map<unsigned, unsigned> walk_dvsecs(Bench& bench) {
  std::map<unsigned, unsigned> found;
  unsigned links = 0;
  for (unsigned at = 0x100; at != 0 && links < 48; ++links) {
    const std::uint32_t header = bench.config_read(at);
    EXPECT_EQ(header & 0xffff, 0x0023u) << "not a DVSEC at " << at;
    const bool cxl = (bench.config_read(at + 4) & 0xffff) == 0x1e98;
    found[cxl ? bench.config_read(at + 8) & 0xffff : kVendorDvsec] = at;
    at = header >> 20;
  }
  EXPECT_EQ(found.size(), links) << "a DVSEC twice";
  return found;
}

std::uint64_t locate(Bench& bench, std::uint64_t bar0, unsigned entry) {
  return bar0 + (bench.config_read(entry) & 0xffff'0000) +
         (std::uint64_t{bench.config_read(entry + 4)} << 32);
}

// As a host: finds everything by the chains, checks no more than it needs to.
Device enumerate(Bench& bench, std::uint64_t bar0) {
  Device device;
  device.bar0 = bar0;
  size_bar0(bench);
  map_bar0(bench, bar0);
  device.dvsec = walk_dvsecs(bench);
  device.component = locate(bench, bar0, device.dvsec.at(8) + 0xc);
  device.vendor = locate(bench, bar0, device.dvsec.at(kVendorDvsec) + 0xc);
  const std::uint32_t entry = bench.read(device.component + 0x1004);
  EXPECT_EQ(entry & 0xffff, 5u);  // HDM decoders
  device.hdm = device.component + 0x1000 + (entry >> 20);
  return device;
}

constexpr std::uint64_t kBar0 = 0xc004'0000;              // 3 DW headers
constexpr std::uint64_t kHighBar0 = 0x12'3456'0004'0000;  // 4 DW headers

void check_header(Bench& bench) {
  EXPECT_EQ(bench.config_read(0x00), 0xc801'1234u);
  EXPECT_EQ(bench.config_read(0x04), 0x0010'0006u);       // capabilities list
  EXPECT_EQ(bench.config_read(0x08), 0x0502'1001u);       // CXL memory device, revision 1
  EXPECT_EQ(bench.config_read(0x0c) & 0x00ff'0000u, 0u);  // one function
  EXPECT_EQ(walk_capabilities(bench), (std::vector<unsigned>{0x10, 0x01}));  // PCIe, power
}

// DVSEC 0: revision 1, 38h bytes; ranges of 2 GiB and 4.5 GiB.
void check_device_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0381'1e98u);
  // Capability: io 1, mem 2, memory initialised by hardware 3, two ranges 5:4.
  EXPECT_EQ(bench.config_read(at + 0x08), 0x002e'0000u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x0000'0002u);  // control: io
  EXPECT_EQ(bench.config_read(at + 0x14), 0u);            // not locked
  bench.set_mem_active(false);
  EXPECT_EQ(bench.config_read(at + 0x1c), 0x8000'0001u);  // Memory_Info_Valid
  bench.set_mem_active(true);
  EXPECT_EQ(bench.config_read(at + 0x18), 0u);
  EXPECT_EQ(bench.config_read(at + 0x1c), 0x8000'0003u);  // and Memory_Active
  EXPECT_EQ(bench.config_read(at + 0x28), 1u);
  EXPECT_EQ(bench.config_read(at + 0x2c), 0x2000'0003u);
}

// DVSEC 7: what the port is capable of, what was negotiated, training data.
void check_flex_bus_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0141'1e98u);
  EXPECT_EQ(bench.config_read(at + 0x08), 0x0026'0007u);  // io 1, mem 2, 68B flits of 2.0 5
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x002e'0000u);
  EXPECT_EQ(bench.config_read(at + 0x10), 0x0000'0436u);
}

// DVSEC 8: one entry, block 1 (component registers) in BAR0 at 0.
void check_locator_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0140'1e98u);
  EXPECT_EQ(bench.config_read(at + 0x08), 0x0000'0008u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x0000'0100u);
  EXPECT_EQ(bench.config_read(at + 0x10), 0u);
}

void check_vendor_dvsec(Bench& bench, unsigned at) {
  EXPECT_EQ(bench.config_read(at + 0x04), 0x0140'1234u);
  // MemSpecRd with a length: granule 2^8 B, at most 4 of them; ID 1.
  EXPECT_EQ(bench.config_read(at + 0x08), 0x0481'0001u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x0001'0000u);
  EXPECT_EQ(bench.config_read(at + 0x10), 0u);
}

// ------------------------------------------------------------------------------------------------
// Tests
// ------------------------------------------------------------------------------------------------

Flit flit_of(const std::vector<std::uint8_t>& bytes) {
  Flit flit{};
  std::copy(bytes.begin(), bytes.end(), flit.begin());
  return flit;
}

std::optional<Flit> first_tlp(const std::vector<Flit>& flits) {
  for (const Flit& flit : flits)
    if (decode(flit).is_tlp) return flit;
  return std::nullopt;
}

TEST(IoPair, GoldenFlits) {
  Bench bench({});
  bench.bring_up();
  ASSERT_GE(bench.rp_first.size(), 3u);
  EXPECT_EQ(bench.rp_first[0], flit_of({0xf0, 0xac, 0x40, 0x01, 0x00, 0x08, 0xf2, 0x7e}));
  EXPECT_EQ(decode(bench.rp_first[1]).type, 0x50u);
  EXPECT_EQ(bench.rp_first[2], flit_of({0xf0, 0xac, 0x60, 0x00, 0x00, 0x00, 0xd8, 0x92}));
  EXPECT_EQ(bench.config_read(0), 0xc801'1234u);
  EXPECT_EQ(first_tlp(bench.rp_first),
            flit_of({0x5f, 0x00, 0x60, 0x00, 0x04, 0x00, 0x00, 0x01, 0x00, 0x08,
                     0x00, 0x0f, 0x01, 0x00, 0x00, 0x00, 0x28, 0xe8, 0xc5, 0xcc}));
  // The completion, without the framing: completer 0:0.0 (no write yet), 4 bytes, requester
  // 00:01.0, tag 0.
  const std::vector<std::uint8_t> completion{0x4a, 0,    0, 1, 0,    0,    0,    4,
                                             0,    0x08, 0, 0, 0x34, 0x12, 0x01, 0xc8};
  const Flit flit = first_tlp(bench.ep_first).value_or(Flit{});
  EXPECT_EQ(std::vector<std::uint8_t>(flit.begin() + 4, flit.begin() + 20), completion);
  expect_quiet(bench, 0);
}

TEST(IoPair, Enumeration) {
  for (const std::uint64_t bar0 : {kBar0, kHighBar0}) {
    Bench bench({});
    bench.bring_up();
    const Device device = enumerate(bench, bar0);
    ASSERT_EQ(device.dvsec.size(), 4u);
    check_header(bench);
    check_device_dvsec(bench, device.dvsec.at(0));
    check_flex_bus_dvsec(bench, device.dvsec.at(7));
    check_locator_dvsec(bench, device.dvsec.at(8));
    check_vendor_dvsec(bench, device.dvsec.at(kVendorDvsec));
    EXPECT_EQ(device.component, bar0);
    EXPECT_EQ(device.vendor, bar0 + 0x1'0000);
    // Array: ID 1, versions 1 and 1, one entry.
    EXPECT_EQ(bench.read(device.component + 0x1000), 0x0111'0001u);
    expect_quiet(bench, 0);
  }
}

TEST(IoPair, RequestsNobodyClaims) {
  Bench bench({});
  EXPECT_EQ(bench.request(Op::kCfgRd0, function_address(1, 0, 0)), kNoAnswer);  // no link yet
  bench.bring_up();
  // Only device 0 is at the end of a link: answered by the requester.
  EXPECT_EQ(bench.request(Op::kCfgRd0, function_address(1, 1, 0)), kUnsupportedRead);
  expect_quiet(bench, 0);
  EXPECT_EQ(bench.request(Op::kCfgRd0, function_address(1, 0, 1)), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kCfgRd1, function_address(2, 0, 0)), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kCfgWr1, function_address(2, 0, 0), 5), kUnsupportedWrite);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 + 0x1000), kUnsupportedRead);  // BAR0 not on yet
  map_bar0(bench, kBar0);
  EXPECT_EQ(bench.read(kBar0 + 0x1000), 0x0111'0001u);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 + 0x2'0000), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 - 4), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kMemRd, kBar0 + (std::uint64_t{1} << 32)), kUnsupportedRead);
  EXPECT_EQ(bench.request(Op::kMemWr, kBar0 + 0x2'0000, 1), kDone);  // posted
  EXPECT_EQ(bench.read(kBar0 + 0x4000), 0u);                         // nothing there, but BAR0's
  expect_quiet(bench, 8);
}

TEST(IoPair, HdmDecoderCommits) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  // Four decoders, no targets, both interleave groups, 3/6/12 and 16 ways.
  EXPECT_EQ(bench.read(device.hdm), 0x0000'1b02u);
  constexpr std::uint64_t kBase = 0x10'3000'0000, kSize = 0x8000'0000;
  bench.write(device.hdm + 0x10, 0x3000'0000);
  bench.write(device.hdm + 0x14, 0x10);
  bench.write(device.hdm + 0x18, 0x8000'0000);
  bench.write(device.hdm + 0x1c, 0);
  bench.write(device.hdm + 0x20, 0x1000);  // Type 3
  EXPECT_EQ(bench.read(device.hdm + 0x20), 0x1000u);
  EXPECT_FALSE(bench.translate(kBase));
  bench.write(device.hdm + 0x20, 0x1200);  // Commit
  EXPECT_EQ(bench.read(device.hdm + 0x20), 0x1600u);
  bench.write(device.hdm + 0x04, 2);  // enable
  EXPECT_EQ(bench.read(device.hdm + 0x04), 2u);
  EXPECT_EQ(bench.read(device.hdm + 0x10), 0x3000'0000u);
  EXPECT_EQ(bench.read(device.hdm + 0x14), 0x10u);
  EXPECT_FALSE(bench.translate(kBase - 64));
  EXPECT_EQ(bench.translate(kBase), 0u);
  EXPECT_EQ(bench.translate(kBase + kSize - 64), kSize - 64);
  EXPECT_FALSE(bench.translate(kBase + kSize));
  expect_quiet(bench, 0);
}

TEST(IoPair, ConfigLock) {
  Bench bench({});
  bench.bring_up();
  const unsigned at = enumerate(bench, kBar0).dvsec.at(0);
  bench.config_write(at + 0x20, 0x77);       // range 1 base
  bench.config_write(at + 0x0c, 0x04, 0x1);  // mem enable
  EXPECT_EQ(bench.config_read(at + 0x20), 0x77u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x06u);
  EXPECT_TRUE(bench.mem_enable());
  EXPECT_FALSE(bench.config_lock());
  bench.config_write(at + 0x14, 1);
  EXPECT_TRUE(bench.config_lock());
  for (const unsigned offset : {0x20u, 0x0cu, 0x14u}) bench.config_write(at + offset, 0);
  EXPECT_EQ(bench.config_read(at + 0x20), 0x77u);
  EXPECT_EQ(bench.config_read(at + 0x0c), 0x06u);
  EXPECT_EQ(bench.config_read(at + 0x14), 1u);
  expect_quiet(bench, 0);
}

TEST(IoPair, VendorBlockAndWeights) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  EXPECT_EQ(bench.read(device.vendor + 0x8), 0x0018'0c04u);  // DevLoad thresholds 24, 12, 4
  bench.write(device.vendor, 3);
  bench.write(device.vendor, 0, 0x1);  // not all bytes: aborted, not written
  bench.write(device.vendor, 0, 0x0);  // no byte: nothing
  EXPECT_EQ(bench.read(device.vendor), 3u);
  EXPECT_EQ(bench.events(1), 1u);
  bench.write(device.component + 0xe180, 0x50);
  bench.write(device.component + 0xe1c0, 0x90);
  EXPECT_EQ(bench.read(device.component + 0xe180), 0x50u);
  EXPECT_EQ(bench.read(device.component + 0xe1c0), 0x90u);
  expect_quiet(bench, 0);
}

TEST(IoPair, CompletionTimeout) {
  Bench bench({});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  bench.to_ep.set_cut(true);
  const std::uint64_t start = bench.cycle();
  EXPECT_EQ(bench.request(Op::kMemRd, device.hdm), kNoAnswer);
  EXPECT_GE(bench.cycle() - start, kCplTimeout);
  EXPECT_LT(bench.cycle() - start, kCplTimeout + 100);
  bench.to_ep.set_cut(false);
  // The replay brings the answer to the first one: dropped, not taken for the second's.
  EXPECT_EQ(bench.read(device.vendor + 0x8), 0x0018'0c04u);
  expect_quiet(bench, 0, 1);
}

TEST(IoPair, LinkBounce) {
  Bench bench({.seed = 5});
  bench.bring_up();
  const Device device = enumerate(bench, kBar0);
  for (unsigned i = 0; i < 40; ++i) {
    // A bounce while posted writes, and a read, are under way.
    for (std::uint64_t n = bench.random.below(4); n > 0; --n)
      bench.write(device.vendor + 0x8, static_cast<std::uint32_t>(bench.random.bits(32)));
    bench.start(Op::kMemRd, device.hdm);
    bench.steps(bench.random.below(30));
    bench.bounce(1 + bench.random.below(5));
    EXPECT_EQ(bench.finish(), kNoAnswer);
    // Registers are as they were, and the link as new.
    const auto value = static_cast<std::uint32_t>(bench.random.bits(32));
    bench.write(device.vendor + 0x8, value);
    EXPECT_EQ(bench.read(device.vendor + 0x8), value & 0x007f'7f7f);
  }
  expect_quiet(bench, 0);
}

// Registers of all kinds and what they hold, under random reads and writes.
class RegisterTraffic {
 public:
  RegisterTraffic(Bench& bench, const Device& device) : bench_(bench), bar0_(device.bar0) {
    const unsigned dvsec = device.dvsec.at(0);
    registers_ = {{true, 0x3c, 0xff, 0},
                  {true, 0x0c, 0xff, 0},
                  {true, dvsec + 0x20, kOnes, 0},
                  {true, dvsec + 0x24, 0xf000'0000, 0},
                  {false, device.vendor + 0x8, 0x007f'7f7f, 0x0018'0c04},
                  {false, device.vendor + 0xc, 0x007f'7f7f, 0x0030'2010},
                  {false, device.hdm + 0x30, 0xf000'0000, 0},
                  {false, device.hdm + 0x34, 0x000f'ffff, 0},  // addresses of 52 bits
                  {false, device.component + 0xe180, 0xf0, 0x10}};
  }

  [[nodiscard]] std::uint64_t unsupported() const { return unsupported_; }

  void step() {
    Random& random = bench_.random;
    Register& r = registers_[random.below(registers_.size())];
    const std::uint64_t kind = random.below(100);
    if (kind < 50) {
      write(r, static_cast<std::uint32_t>(random.bits(32)));
    } else if (kind < 90) {
      EXPECT_EQ(r.config ? bench_.config_read(static_cast<unsigned>(r.at)) : bench_.read(r.at),
                r.value)
          << "register at 0x" << std::hex << r.at;
    } else if (kind < 95) {
      ++unsupported_;
      EXPECT_EQ(bench_.request(Op::kMemRd, bar0_ + 0x2'0000), kUnsupportedRead);
    } else {
      ++unsupported_;
      EXPECT_EQ(bench_.request(Op::kMemWr, bar0_ + 0x2'0000, 1), kDone);
    }
  }

 private:
  struct Register {
    bool config;  // else in BAR0
    std::uint64_t at;
    std::uint32_t writable;
    std::uint32_t value;
  };

  void write(Register& r, std::uint32_t data) {
    std::uint32_t mask = r.writable;
    if (r.config) {
      const auto enables = static_cast<unsigned>(bench_.random.bits(4));
      for (unsigned byte = 0; byte < 4; ++byte)
        if ((enables >> byte & 1) == 0) mask &= ~(0xffu << (8 * byte));
      bench_.config_write(static_cast<unsigned>(r.at), data, enables);
    } else {
      bench_.write(r.at, data);
    }
    r.value = (r.value & ~mask) | (data & mask);
  }

  Bench& bench_;
  std::uint64_t bar0_;
  std::vector<Register> registers_;
  std::uint64_t unsupported_ = 0;
};

// Every request is answered once, rightly, however bad the wire: 0 to 40 % of the flits.
TEST(IoPair, DamagingWire) {
  const std::uint64_t base = from_environment("CXLGPU_SEED", 100);
  for (unsigned i = 0; i < 10; ++i) {
    const unsigned damage = 40 * i / 9;
    SCOPED_TRACE("CXLGPU_SEED=" + std::to_string(base) + ", run " + std::to_string(i) + ", " +
                 std::to_string(damage) + " % damaged");
    Bench bench({.seed = base + i,
                 .damage_percent = damage,
                 .ready_percent = 10 + 9 * (7 * i % 10),
                 .down_delay = 1 + 13 * i % 60,
                 .up_delay = 1 + 29 * i % 60});
    bench.bring_up();
    RegisterTraffic traffic(bench, enumerate(bench, i % 2 == 0 ? kBar0 : kHighBar0));
    for (unsigned n = 0; n < 150; ++n) traffic.step();
    bench.config_read(0);  // behind every posted write
    expect_quiet(bench, traffic.unsupported());
    if (damage > 0) {
      EXPECT_GT(bench.to_ep.damaged(), 10u);
      EXPECT_GT(bench.to_rp.damaged(), 10u);
      EXPECT_GT(bench.rp_sent.replayed(), 0u);
      EXPECT_GT(bench.ep_sent.replayed(), 0u);
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test

// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Definitions of BasicRtlEngine, for the sources that make one of a verilated top.
//
// Purpose: tb/rtl_engine.cpp has the tops of every build; programs with a top of their own (more
//          ports: tests/bench) include this beside its header.
// Units, errors: tb/rtl_engine.hpp.
#pragma once

#include <fmt/format.h>
#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <type_traits>
#include <utility>

#include "common/input_error.hpp"
#include "flits/messages.hpp"
#include "sim/config/config_keys.hpp"
#include "tb/coverage.hpp"
#include "tb/fst_file.hpp"
#include "tb/rtl_engine.hpp"
#include "tb/run_until_quiet.hpp"
#include "tb/wave_text.hpp"
#include "tb/wide.hpp"

namespace cxlgpu {

// The ports of tb/cxlgpu_bench; of their structs tb/layout.hpp has the fields.
namespace rtl_ports {

using flits::Direction;
using namespace layout;

inline constexpr unsigned kFlitBytes = kFlitBits / 8;
inline constexpr unsigned kTrainingCycles = 500000;   // a noisy link may lose many retry sequences
inline constexpr unsigned kCreditCycles = 400;        // for all initial credits to be returned
inline constexpr unsigned kSettleCycles = 100;        // the blocks' share of what a last Ack takes
inline constexpr unsigned kRecoveryCycles = 2000000;  // the longest outage, and training
inline constexpr std::uint64_t kLinkDisable = 0xA;    // of phy_state
inline constexpr int kLastCycles = 8;                 // the last response's trace events

inline constexpr std::uint64_t kRegWrite = std::uint64_t{1} << RegReq::write.lo;
inline constexpr std::uint64_t kRegValid = std::uint64_t{1} << RegReq::valid.lo;

// By flit_kind_e.
inline constexpr std::array kIdOfKind = {flits::ProtocolId::Io, flits::ProtocolId::CacheMem,
                                         flits::ProtocolId::Almp, flits::ProtocolId::Null};

// The wires carry no end-of-data tokens, so no EDS codes either.
inline std::uint64_t kind_of(flits::ProtocolId id) {
  const auto* found = std::find(kIdOfKind.begin(), kIdOfKind.end(), id);
  if (found == kIdOfKind.end()) throw std::logic_error("rtl: protocol ID with EDS");
  return static_cast<std::uint64_t>(found - kIdOfKind.begin());
}

struct Point {
  std::uint32_t id;
  std::uint64_t line;
  std::uint32_t info;
};

// What a point of a bundle that starts at bit `from` says, while it is valid.
template <typename Port>
Point point_at(const Port& bits, Field point, std::size_t from = 0) {
  return {static_cast<std::uint32_t>(field(bits, point[Trace::id], from)),
          field(bits, point[Trace::line], from),
          static_cast<std::uint32_t>(field(bits, point[Trace::info], from))};
}

// Most points are silent in most cycles: their valid bits are looked at before all else. Each is
// the top bit of a word.
template <typename Bundle, typename Port>
bool is_any_valid(const Port& bits, unsigned port) {
  constexpr std::size_t kWords = Trace::kBits / 32;
  static_assert(Trace::kBits % 32 == 0 && Trace::valid.lo % 32 == 31 && Bundle::kBits % 32 == 0);
  std::uint32_t any = 0;
  for (std::size_t point = 0; point < Bundle::kBits / Trace::kBits; ++point) {
    any |= bits[(Bundle::kBits / Trace::kBits * port + point) * kWords + Trace::valid.lo / 32];
  }
  return any >> 31 != 0;
}

// A port of so many bits; a layout that is not the top's is not compiled.
template <typename Port>
constexpr bool is_of(std::size_t bits) {
  return sizeof(std::remove_reference_t<Port>) == port_bytes(bits);
}
template <typename Top, unsigned Ports>
constexpr bool fits() {
  return is_of<decltype(Top::axi_req_i)>(AxiReq::kBits) &&
         is_of<decltype(Top::axi_rsp_o)>(AxiRsp::kBits) &&
         is_of<decltype(Top::rc_reg_req_i)>(RegReq::kBits) &&
         is_of<decltype(Top::lm_req_o)>(Ports * LmReq::kBits) &&
         is_of<decltype(Top::lm_line_o)>(Ports * kLineAddrBits) &&
         is_of<decltype(Top::lm_rsp_i)>(Ports * LmRsp::kBits) &&
         is_of<decltype(Top::rp_link_tx_flit_o)>(Ports * kFlitBits) &&
         is_of<decltype(Top::rp_link_tx_kind_o)>(Ports * kFlitKindBits) &&
         is_of<decltype(Top::rp_phy_state_o)>(Ports * kVlsmBits) &&
         is_of<decltype(Top::media_o)>(Ports * ToMedia::kBits) &&
         is_of<decltype(Top::media_i)>(Ports * FromMedia::kBits) &&
         is_of<decltype(Top::sys_trace_o)>(SysTrace::kBits) &&
         is_of<decltype(Top::rp_trace_o)>(Ports * RpTrace::kBits) &&
         is_of<decltype(Top::ep_trace_o)>(Ports * EpTrace::kBits);
}

}  // namespace rtl_ports

using namespace rtl_ports;  // this header is part of a source

template <typename Top, unsigned Ports>
BasicRtlEngine<Top, Ports>::BasicRtlEngine(const RunConfig& config, const EngineParts& parts,
                                           const EngineOptions& options)
    : parts_(parts),
      options_(options),
      local_(config.gpu.local, config.ds_base, kPorts),
      stores_(config.root_port.ds),
      context_(std::make_unique<VerilatedContext>()) {
  static_assert(fits<Top, Ports>());
  check_size(config, *rtl_size_of("system.ports"), kPorts);
  context_->traceEverOn(options.dumps());
  top_ = std::make_unique<Top>(context_.get());
  coverage_ = std::make_unique<CoverageWriter>(*context_);
  if (!options.flit_log.empty())
    log_ = std::make_unique<flits::FlitLogWriter>(options.flit_log, options.replay);
  for (unsigned port = 0; port < kPorts; ++port) {
    wires_.push_back(std::make_unique<WireMonitor>(
        config, port, options.faults, log_.get(),
        [this, port](Time at, Direction direction, const flits::Item& item) {
          on_message(port, at, direction, item);
        }));
  }
  if (!options.waves.empty()) open_waves();
  if (config.link.down_at_us != 0) {
    outage_ = LinkOutage{.port = config.link.port};
    down_from_ = Time{config.link.down_at_us * 1000000};
    down_until_ = down_from_ + Time{config.link.down_for_us * 1000000};
    ranges_ = config.hdm;
  }
  reset_and_train(config);
  system_ = bring_up(*this, config, parts.endpoint);
  settle_links(config);
  epoch_ = time_;
  for (auto& wire : wires_) wire->begin_run();
  running_ = true;
}

template <typename Top, unsigned Ports>
BasicRtlEngine<Top, Ports>::~BasicRtlEngine() {
  // A top with scopes (an import with context) leaves them in the thread's context, which another
  // engine may have set and taken along.
  Verilated::threadContextp(context_.get());
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::open_waves() {
  waves_.emplace(options_.waves);
  if (waves_->through()) {
    throw InputError(
        fmt::format("{}: --waves goes back in the file; name a regular file", options_.waves));
  }
  if (!options_.dumps()) return waves_.reset();
  fst_ = std::make_unique<VerilatedFstC>();
  if constexpr (requires { top_->trace(fst_.get(), 99); }) {
    top_->trace(fst_.get(), 99);
  } else {
    throw std::logic_error("rtl: this build has no waves");
  }
  wave_text_ = std::make_unique<WaveText>();
  for (unsigned port = 0; port < kPorts; ++port) {
    wires_[port]->read_flits();
    for (const char* name : {"m2s", "s2m"})
      wave_text_->add(fmt::format("flits link{}", port), name);
  }
  wave_text_->attach(*fst_->spTrace());
  waves_->removes_too(waves_->part() + ".hier");
  fst_->open(waves_->part().c_str());
  if (!fst_->isOpen()) waves_->fail(errno);
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::reset_and_train(const RunConfig& config) {
  top_->clk_i = 0;
  top_->rst_ni = 0;
  set_field(top_->axi_req_i, AxiReq::r_ready, 1);
  set_field(top_->axi_req_i, AxiReq::b_ready, 1);
  for (int i = 0; i < 4; ++i) cycle();
  top_->rst_ni = 1;
  // Before the first cycle: its end hands L0 to the top, so that a Recovery in the next is one.
  for (auto& wire : wires_) wire->bring_up();
  cycle();
  constexpr unsigned kAll = (1u << kPorts) - 1;
  for (unsigned i = 0; top_->rp_init_done_o != kAll || top_->ep_init_done_o != kAll; ++i) {
    if (i == kTrainingCycles) {
      if (config.link.bit_error_rate_m2s + config.link.bit_error_rate_s2m > 0) {
        throw InputError(fmt::format(
            "keys 'link.bit_error_rate_m2s', 'link.bit_error_rate_s2m': with {} and {} the links "
            "do not train; lower them",
            config.link.bit_error_rate_m2s, config.link.bit_error_rate_s2m));
      }
      std::string text = "rtl: the links did not train";
      for (const std::string& problem : problems()) text += "; " + problem;
      throw std::runtime_error(text);
    }
    cycle();
  }
  for (unsigned i = 0; i < kCreditCycles; ++i) cycle();
}

// The Ack of the last completion is still on its way.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::settle_links(const RunConfig& config) {
  const std::uint64_t there = config.link.flight_ps / kCycle.ps + 1;
  for (std::uint64_t i = 0; i < 2 * there + kSettleCycles; ++i) cycle();
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::write(RegisterSpace space, unsigned index, std::uint32_t offset,
                                       std::uint32_t value) {
  set_register_port(space, index,
                    kRegValid | kRegWrite | std::uint64_t{offset} << RegReq::addr.lo | value);
  cycle();
  set_register_port(space, index, 0);
  cycle();
}

template <typename Top, unsigned Ports>
std::uint32_t BasicRtlEngine<Top, Ports>::read(RegisterSpace space, unsigned index,
                                               std::uint32_t offset) {
  set_register_port(space, index, kRegValid | std::uint64_t{offset} << RegReq::addr.lo);
  cycle();  // into the register of the top
  cycle();
  set_register_port(space, index, 0);
  return top_->rc_reg_rdata_o;
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::set_register_port(RegisterSpace space, unsigned index,
                                                   std::uint64_t request) {
  // Host bridge at 0000h, root port i at 1000h * (i + 1).
  if (request != 0 && space == RegisterSpace::RootPort)
    request += std::uint64_t{0x1000} * (index + 1) << RegReq::addr.lo;
  top_->rc_reg_req_i = request;
}

template <typename Top, unsigned Ports>
bool BasicRtlEngine<Top, Ports>::submit(const MemRequest& request) {
  refused_ = offered_.has_value();
  if (refused_) return false;
  offered_ = request;
  return true;
}

template <typename Top, unsigned Ports>
bool BasicRtlEngine<Top, Ports>::hint(const Hint& hint) {
  if (hint_) return false;
  hint_ = hint;
  hinted_ = true;
  return true;
}

template <typename Top, unsigned Ports>
std::optional<MemResponse> BasicRtlEngine<Top, Ports>::take() {
  if (answers_.empty()) return std::nullopt;
  std::optional<MemResponse> answer = answers_.front();
  answers_.pop();
  return answer;
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::advance_to(Time t) {
  just_recovered_ = false;
  while (now() < t) {
    cycle();
    if (!answers_.empty() || (refused_ && !offered_) || just_recovered_) break;
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed) != 0) break;
  }
  refused_ = false;
}

// One clock cycle: inputs, settle, outputs and handshakes, rising edge.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::cycle() {
  if (outage_ && running_) step_outage();
  drive_bus();
  for (unsigned port = 0; port < kPorts; ++port) {
    drive_media(port);
    if (stores_) drive_local(port);
  }
  top_->clk_i = 0;
  top_->eval();
  dump(time_);
  for (unsigned port = 0; port < kPorts; ++port) {
    wires_[port]->heard(
        {bit_at(top_->ep_retrain_req_o, port) != 0, bit_at(top_->rp_retrain_req_o, port) != 0});
  }
  sample_traces();
  sample_bus();
  for (unsigned port = 0; port < kPorts; ++port) {
    sample_link(port);
    sample_media(port);
    if (stores_) sample_local(port);
  }
  const LinkFaults& faults = options_.faults;
  const bool fault = (faults.recovery_at != 0 && cycles() + 1 == faults.recovery_at) ||
                     (faults.recovery_every != 0 && (cycles() + 1) % faults.recovery_every == 0);
  if (fault) fault_at_ = std::min(fault_at_, time_);
  for (unsigned port = 0; port < kPorts; ++port) {
    if (faults.noise_at != 0 && cycles() + 1 == faults.noise_at && port == faults.noise_port) {
      wires_[port]->damage_all();
    }
    if (faults.down_at != 0 && cycles() + 1 == faults.down_at && port == faults.down_port) {
      wires_[port]->take_down(time_ + kCycle);
      gone_[port] = true;
      fault_at_ = std::min(fault_at_, time_);
    } else if (!gone_[port]) {
      const bool asked =
          bit_at(top_->rp_retrain_req_o, port) || bit_at(top_->ep_retrain_req_o, port);
      wires_[port]->clock(time_ + kCycle, asked || fault, is_held_down(port));
    }
    drive_link(port, time_ + kCycle);
  }
  top_->clk_i = 1;
  top_->eval();
  dump(time_ + Time{kCycle.ps / 2});
  time_ += kCycle;
  sample_answers();
}

// By the outage, or by the port itself: it asks for LinkDisable.
template <typename Top, unsigned Ports>
bool BasicRtlEngine<Top, Ports>::is_held_down(unsigned port) const {
  if (field(top_->rp_phy_state_o, kVlsmBits * port, kVlsmBits) == kLinkDisable) {
    return true;
  }
  if (!outage_ || !running_ || port != outage_->port) return false;
  const Time edge = now() + kCycle;
  return edge > down_from_ && edge <= down_until_;
}

template <typename Top, unsigned Ports>
Disturbance BasicRtlEngine<Top, Ports>::disturbance() const {
  Disturbance first;
  const auto note = [&](Time since_reset, const char* by) {
    if (since_reset == Time::never()) return;
    first.note(since_reset < epoch_ ? Time{0} : since_reset - epoch_, by);
  };
  for (const auto& wire : wires_) note(wire->first_damage(), "damaged flit");
  note(fault_at_, "link fault");
  if (outage_) first.note(outage_->down_at, "link outage");
  return first;
}

// At the start of a cycle. Firmware hears of a link that has gone down as of an interrupt.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::step_outage() {
  LinkOutage& outage = *outage_;
  const bool down = wires_[outage.port]->phy().down();
  if (outage.down_at == Time::never() && down) {
    outage.down_at = now();
    recovery_ = std::make_unique<PortRecovery>(outage.port, system_, ranges_);
  }
  if (outage.down_at != Time::never() && outage.up_at == Time::never() && !down) {
    outage.up_at = now();
  }
  if (recovery_) step_firmware();
}

// A register access takes two cycles, as write() and read() have it.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::step_firmware() {
  const FirmwareWish& wish = *recovery_->wish();
  if (wish.is_pause) {
    if (paused_until_ == Time{0}) paused_until_ = now() + wish.pause;
    if (now() < paused_until_) return;
    paused_until_ = Time{0};
    recovery_->grant(0);
  } else {
    ++access_cycles_;
    if (access_cycles_ == 1) {
      const std::uint64_t what = wish.write ? kRegWrite | wish.value : 0;
      set_register_port(wish.space, wish.index,
                        kRegValid | what | std::uint64_t{wish.offset} << RegReq::addr.lo);
      return;
    }
    if (access_cycles_ == 2 && wish.write) set_register_port(wish.space, wish.index, 0);
    if (access_cycles_ < 3) return;
    set_register_port(wish.space, wish.index, 0);
    access_cycles_ = 0;
    recovery_->grant(top_->rc_reg_rdata_o);
  }
  if (!recovery_->done()) return;
  recovery_problem_ = recovery_->problem();
  recovery_.reset();
  outage_->recovered_at = now();
  just_recovered_ = true;
}

// Before the register port is anybody else's.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::await_recovery() {
  for (unsigned i = 0; recovery_ && i < kRecoveryCycles; ++i) cycle();
  if (!recovery_) return;
  recovery_.reset();
  set_register_port(RegisterSpace::RootPort, 0, 0);
  recovery_problem_ = fmt::format("port {}: its link has not come back", outage_->port);
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::finish_hints() {
  if (!std::exchange(hinted_, false)) return;
  end_hints(*this, *this, kPorts, Time{0});
  run_until_quiet(*this, parts_.media);  // a drain meets no fill, whenever it begins
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::drive_bus() {
  const bool write = offered_ && offered_->is_write;
  const bool read = offered_ && !offered_->is_write;
  auto& bus = top_->axi_req_i;
  set_field(bus, AxiReq::aw_valid, write);
  set_field(bus, AxiReq::w_valid, write);
  set_field(bus, AxiReq::ar_valid, read);
  set_field(bus, AxiReq::hint_valid, hint_.has_value());
  if (hint_) {
    set_field(bus, AxiReq::hint[AxiHint::addr], hint_->addr);
    set_field(bus, AxiReq::hint[AxiHint::granules], hint_->granules - 1);
    hint_.reset();  // taken or lost in this cycle
  }
  if (!offered_) return;
  const Field address = write ? AxiReq::aw : AxiReq::ar;
  set_field(bus, address[AxiAddr::id], offered_->id);
  set_field(bus, address[AxiAddr::addr], offered_->addr);
  set_field(bus, address[AxiAddr::size], 6);   // 64 bytes
  set_field(bus, address[AxiAddr::burst], 1);  // INCR
  if (read) return;
  set_field(bus, AxiReq::w[AxiW::last], 1);
  set_field(bus, AxiReq::w[AxiW::strb], offered_->byte_enable);
  set_bytes<kLineBytes>(bus, AxiReq::w[AxiW::data].lo, offered_->data.data());
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_bus() {
  if (!offered_) return;
  const auto& bus = top_->axi_rsp_o;
  const bool taken = offered_->is_write
                         ? bit_at(bus, AxiRsp::aw_ready) && bit_at(bus, AxiRsp::w_ready)
                         : bit_at(bus, AxiRsp::ar_ready);
  if (!taken) return;
  offered_.reset();
  if (!first_request_) first_request_ = time_;
}

// R and B are registered: what they show after the edge is taken in the cycle that begins.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_answers() {
  const auto& bus = top_->axi_rsp_o;
  if (bit_at(bus, AxiRsp::r_valid)) {
    MemResponse answer;
    answer.id = static_cast<std::uint32_t>(field(bus, AxiRsp::r[AxiR::id]));
    answer.error = field(bus, AxiRsp::r[AxiR::resp]) != 0;
    get_bytes<kLineBytes>(bus, AxiRsp::r[AxiR::data].lo, answer.data.data());
    answers_.push(answer);
  }
  if (bit_at(bus, AxiRsp::b_valid)) {
    MemResponse answer;
    answer.id = static_cast<std::uint32_t>(field(bus, AxiRsp::b[AxiB::id]));
    answer.is_write = true;
    answer.error = field(bus, AxiRsp::b[AxiB::resp]) != 0;
    answers_.push(answer);
  }
}

// What the PHY says at `edge` goes into the top's register.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::drive_link(unsigned port, Time edge) {
  WireMonitor& wire = *wires_[port];
  set_field(top_->ep_link_rx_valid_i, port, 1, 0);
  set_field(top_->rp_link_rx_valid_i, port, 1, 0);
  const bool due = wire.due(edge);
  if (due) {
    const WireMonitor::Arrivals arrivals = wire.receive(edge);
    const auto arrive = [&](Direction direction, auto& valid, auto& kind, auto& port_bits) {
      const auto& received = arrivals[flits::index(direction)];
      if (!received) return;
      set_field(valid, port, 1, 1);
      set_field(kind, kFlitKindBits * port, kFlitKindBits, kind_of(received->id));
      set_bytes<kFlitBytes>(port_bits, kFlitBits * port, received->flit.payload().data());
    };
    arrive(Direction::M2S, top_->ep_link_rx_valid_i, top_->ep_link_rx_kind_i,
           top_->ep_link_rx_flit_i);
    arrive(Direction::S2M, top_->rp_link_rx_valid_i, top_->rp_link_rx_kind_i,
           top_->rp_link_rx_flit_i);
  }
  if (wave_text_) show_flits(port, due);
  wire_ready_[port] = {wire.ready(Direction::M2S, edge), wire.ready(Direction::S2M, edge)};
  set_field(top_->rp_link_tx_ready_i, port, 1, wire_ready_[port][flits::index(Direction::M2S)]);
  set_field(top_->ep_link_tx_ready_i, port, 1, wire_ready_[port][flits::index(Direction::S2M)]);
  const Phy& phy = wire.phy();
  set_field(top_->rp_phy_up_i, port, 1, phy.up());
  set_field(top_->ep_phy_up_i, port, 1, phy.up());
  set_field(top_->rp_phy_recovery_i, port, 1, phy.recovering());
  set_field(top_->ep_phy_recovery_i, port, 1, phy.recovering());
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::show_flits(unsigned port, bool due) {
  for (const Direction d : {Direction::M2S, Direction::S2M}) {
    wave_text_->set(2 * port + flits::index(d), due ? wires_[port]->text(d) : "");
  }
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_link(unsigned port) {
  const auto leave = [&](Direction direction, auto valid, const auto& kind, const auto& port_bits) {
    if (!bit_at(valid, port) || !wire_ready_[port][flits::index(direction)]) return;
    flits::Flit flit;
    flit.set_protocol_id(kIdOfKind[field(kind, kFlitKindBits * port, kFlitKindBits)]);
    get_bytes<kFlitBytes>(port_bits, kFlitBits * port, flit.payload().data());
    wires_[port]->send(direction, flit, time_);
  };
  leave(Direction::M2S, top_->rp_link_tx_valid_o, top_->rp_link_tx_kind_o, top_->rp_link_tx_flit_o);
  leave(Direction::S2M, top_->ep_link_tx_valid_o, top_->ep_link_tx_kind_o, top_->ep_link_tx_flit_o);
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::drive_media(unsigned port) {
  Media& media = *parts_.media[port];
  const auto& asks = top_->media_o;
  const std::size_t asks_at = ToMedia::kBits * port;
  auto& says = top_->media_i;
  const std::size_t at = FromMedia::kBits * port;
  // Room is what there was before this cycle's answer leaves.
  bool ready = false;
  if (bit_at(asks, ToMedia::cmd_valid, asks_at)) {
    const auto op = static_cast<MediaOp>(field(asks, ToMedia::cmd[MediaCmd::op], asks_at));
    ready = media.can_accept(media_time(), op);
  }
  set_field(says, FromMedia::cmd_ready, ready, at);
  // Before this cycle's command is submitted: it speaks of those before.
  const auto status = media.status(media_time());
  set_field(says, FromMedia::status[layout::MediaStatus::tasks], status.tasks, at);
  set_field(says, FromMedia::status[layout::MediaStatus::backlog], status.backlog, at);
  if (!media_answer_[port]) {
    media_answer_[port] = media.take(media_time());
    if (media_answer_[port]) {
      const MediaResponse& answer = *media_answer_[port];
      constexpr Field kRsp = FromMedia::rsp;
      set_bytes<kLineBytes>(says, at + kRsp[MediaRsp::data].lo, answer.data.data());
      set_field(says, kRsp[MediaRsp::error], answer.error, at);
      set_field(says, kRsp[MediaRsp::id], answer.id, at);
      set_field(says, kRsp[MediaRsp::op], static_cast<std::uint64_t>(answer.op), at);
      set_field(says, kRsp[MediaRsp::poison], answer.poison, at);
    }
  }
  set_field(says, FromMedia::rsp_valid, media_answer_[port].has_value(), at);
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_media(unsigned port) {
  const auto& bits = top_->media_o;
  const std::size_t at = ToMedia::kBits * port;
  if (media_answer_[port] && bit_at(bits, ToMedia::rsp_ready, at)) media_answer_[port].reset();
  if (!bit_at(bits, ToMedia::cmd_valid, at) ||
      !bit_at(top_->media_i, FromMedia::cmd_ready, FromMedia::kBits * port)) {
    return;
  }
  constexpr Field kCmd = ToMedia::cmd;
  MediaCommand command;
  command.op = static_cast<MediaOp>(field(bits, kCmd[MediaCmd::op], at));
  command.id = static_cast<std::uint8_t>(field(bits, kCmd[MediaCmd::id], at));
  command.dpa = field(bits, kCmd[MediaCmd::dpa], at) * kLineBytes;
  command.slot = static_cast<std::uint32_t>(field(bits, kCmd[MediaCmd::slot], at));
  command.offset = static_cast<std::uint32_t>(field(bits, kCmd[MediaCmd::offset], at) * kLineBytes);
  command.partial = bit_at(bits, kCmd[MediaCmd::partial], at);
  command.durable = static_cast<Durable>(field(bits, kCmd[MediaCmd::durable], at));
  if (command.op == MediaOp::Write || command.op == MediaOp::ArrayWrite) {
    command.byte_enable = field(bits, kCmd[MediaCmd::be], at);
    get_bytes<kLineBytes>(bits, at + kCmd[MediaCmd::data].lo, command.data.data());
    command.poison = bit_at(bits, kCmd[MediaCmd::poison], at);
  }
  parts_.media[port]->submit(command, media_time());
}

// What a port offers comes from registers alone: it is known before the cycle's inputs are, and is
// taken or not by them.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::drive_local(unsigned port) {
  bool taken = false;
  if (bit_at(top_->lm_valid_o, port)) {
    const auto& bits = top_->lm_req_o;
    const std::size_t at = LmReq::kBits * port;
    LmRequest request;
    request.write = bit_at(bits, LmReq::write, at);
    request.kind = static_cast<LmKind>(field(bits, LmReq::kind, at));
    request.index = static_cast<unsigned>(field(bits, LmReq::index, at));
    request.slot = static_cast<unsigned>(field(bits, LmReq::slot, at));
    if (request.write) {
      request.byte_enable = field(bits, LmReq::be, at);
      get_bytes<kLineBytes>(bits, at + LmReq::data.lo, request.data.data());
    }
    const std::uint64_t line = field(top_->lm_line_o, kLineAddrBits * port, kLineAddrBits);
    taken = local_.offer(port, line, request, media_time());
  }
  set_field(top_->lm_ready_i, port, 1, taken);
  const LmResponse* answer = local_.answer(port, media_time());
  set_field(top_->lm_rsp_valid_i, port, 1, answer != nullptr);
  if (answer == nullptr) return;
  const std::size_t at = LmRsp::kBits * port;
  set_bytes<kLineBytes>(top_->lm_rsp_i, at + LmRsp::data.lo, answer->data.data());
  set_field(top_->lm_rsp_i, LmRsp::index, answer->index, at);
  set_field(top_->lm_rsp_i, LmRsp::kind, static_cast<std::uint64_t>(answer->kind), at);
  set_field(top_->lm_rsp_i, LmRsp::error, 0, at);  // this local memory is sound
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_local(unsigned port) {
  if (bit_at(top_->lm_rsp_valid_i, port) && bit_at(top_->lm_rsp_ready_o, port)) {
    local_.answer_taken(port);
  }
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::raise(Stage stage, unsigned port, std::uint32_t id,
                                       std::uint64_t line, std::uint32_t info) {
  if (parts_.sink == nullptr) return;
  parts_.sink->on_event(
      {now(), stage, static_cast<std::uint8_t>(port), id, line * kLineBytes, info});
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::on_message(unsigned port, Time at, Direction direction,
                                            const flits::Item& item) {
  if (parts_.sink == nullptr || at < epoch_) return;
  const auto report = [&](Stage stage, std::uint16_t tag) {
    parts_.sink->on_event(
        {at - epoch_, stage, static_cast<std::uint8_t>(port), id_of_tag_[port][tag & 63], 0, tag});
  };
  if (direction == Direction::M2S) {
    if (const auto* req = std::get_if<flits::M2sReq>(&item.message)) {
      if (req->opcode != flits::M2sReqOpcode::MemSpecRd) report(Stage::WireM2S, req->tag);
    } else if (const auto* rwd = std::get_if<flits::M2sRwd>(&item.message)) {
      report(Stage::WireM2S, rwd->tag);
    }
  } else if (const auto* drs = std::get_if<flits::S2mDrs>(&item.message)) {
    report(Stage::WireS2M, drs->tag);
  } else if (const auto* ndr = std::get_if<flits::S2mNdr>(&item.message)) {
    report(Stage::WireS2M, ndr->tag);
  }
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_traces() {
  const auto report = [&](Field point, Stage stage) {
    if (!bit_at(top_->sys_trace_o, point[Trace::valid])) return;
    const Point p = point_at(top_->sys_trace_o, point);
    raise(stage, 0, p.id, p.line, p.info);
  };
  report(SysTrace::sys_accept, Stage::SysAccept);
  for (unsigned port = 0; port < kPorts; ++port) sample_port_traces(port);
  for (unsigned channel = 0; channel < 2; ++channel) {  // R, B
    report(SysTrace::sys_respond.element(channel, Trace::kBits), Stage::SysRespond);
  }
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_port_traces(unsigned port) {
  if (!is_any_valid<RpTrace>(top_->rp_trace_o, port) &&
      !is_any_valid<EpTrace>(top_->ep_trace_o, port)) {
    return;
  }
  const auto& up = top_->rp_trace_o;
  const auto& down = top_->ep_trace_o;
  const std::size_t at = RpTrace::kBits * port, down_at = EpTrace::kBits * port;
  const auto report = [&](const auto& bits, Field point, std::size_t from, bool by_tag,
                          Stage stage) {
    if (!bit_at(bits, point[Trace::valid], from)) return;
    const Point p = point_at(bits, point, from);
    raise(stage, port, by_tag ? id_of_tag_[port][p.id & 63] : p.id, p.line, p.info);
  };
  const auto of_port = [&](Field point, Stage stage, bool by_tag = false) {
    report(up, point, at, by_tag, stage);
  };
  const auto of_endpoint = [&](Field point, Stage stage, bool by_tag = true) {
    report(down, point, down_at, by_tag, stage);
  };
  of_port(RpTrace::port_enqueue, Stage::PortEnqueue);
  if (bit_at(up, RpTrace::memq_alloc[Trace::valid], at)) {
    // There may be no sink: the tags are followed all the same.
    const Point alloc = point_at(up, RpTrace::memq_alloc, at);
    id_of_tag_[port][alloc.info & 63] = alloc.id;
    raise(Stage::MemqAlloc, port, alloc.id, alloc.line, alloc.info);
  }
  of_port(RpTrace::ctrl_accept, Stage::CtrlAccept, true);
  of_port(RpTrace::ctrl_store, Stage::CtrlAccept, true);
  of_port(RpTrace::spec_issue, Stage::SpecIssue);
  of_endpoint(EpTrace::ep_accept, Stage::EpAccept);
  of_endpoint(EpTrace::ep_lookup, Stage::EpLookup);
  of_endpoint(EpTrace::media_issue, Stage::MediaIssue);
  of_endpoint(EpTrace::media_done, Stage::MediaDone);
  of_endpoint(EpTrace::ep_respond, Stage::EpRespond);
  of_endpoint(EpTrace::spec_fill, Stage::SpecFill, false);
  of_endpoint(EpTrace::spec_drop, Stage::SpecDrop, false);
  of_endpoint(EpTrace::spec_lost, Stage::SpecDrop, false);
  of_port(RpTrace::port_respond, Stage::PortRespond);
  of_port(RpTrace::load_control, Stage::LoadControl);
  if (bit_at(up, RpTrace::ds[Trace::valid], at)) {
    const Point p = point_at(up, RpTrace::ds, at);
    raise(Stage::DsEvent, port, 0, 0, p.id | static_cast<std::uint32_t>(p.line) << 16);
  }
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::dump(Time time) {
  if (!fst_ || time < options_.waves_from || time > options_.waves_to) return;
  fst_->dump(time.ps);
  dumped_ = true;
}

template <typename Top, unsigned Ports>
std::optional<std::string> BasicRtlEngine<Top, Ports>::drain() {
  await_recovery();
  finish_hints();
  return stores_ ? drain_stores(*this, *this, kPorts) : std::nullopt;
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::end(bool whole) {
  if (whole) {
    await_recovery();
    finish_hints();
  }
  for (int i = 0; i < kLastCycles; ++i) cycle();
  if (whole) run_until_quiet(*this, parts_.media);
  for (auto& wire : wires_) wire->end_run();
  for (unsigned port = 0; port < kPorts; ++port) {
    speculation_.push_back(read_speculation(*this, port));
    hints_.push_back(read_hints(*this, port));
    internal_dram_.push_back(read_internal_dram(*this, system_.endpoints[port]));
  }
  bridge_hints_ = read_bridge_hints(*this);
  if (fst_) close_waves();
  for (auto& wire : wires_) {
    if (whole) wire->finish();
  }
  if (log_) log_->close();
  top_->final();
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::close_waves() {
  fst_->close();
  if (!dumped_) {
    waves_problem_ = fmt::format(
        "{}: the run ended at {:.3f} us, in cycle {}, before --waves-from-us or "
        "--waves-from-cycle; lower it",
        options_.waves, time_.ns() / 1000, cycles());
  } else if (!is_whole_fst(waves_->part())) {  // the writer reports no error of its own
    waves_problem_ =
        fmt::format("{}: was not written to its end; check the space on the disk", options_.waves);
  } else {
    waves_->publish();
  }
}

template <typename Top, unsigned Ports>
LinkTotals BasicRtlEngine<Top, Ports>::link(unsigned port) const {
  return {wires_[port]->counters(Direction::M2S), wires_[port]->counters(Direction::S2M)};
}

template <typename Top, unsigned Ports>
std::vector<std::string> BasicRtlEngine<Top, Ports>::problems() const {
  std::vector<std::string> all;
  if (!recovery_problem_.empty()) all.push_back(recovery_problem_);
  for (const auto& wire : wires_) {
    for (std::string& line : wire->problems()) all.push_back(std::move(line));
  }
  return all;
}

template <typename Top, unsigned Ports>
FirstProblem BasicRtlEngine<Top, Ports>::first_problem() const {
  FirstProblem first;
  if (!recovery_problem_.empty()) first.note(now(), recovery_problem_);
  for (unsigned port = 0; port < kPorts; ++port) {
    const Time at = wires_[port]->first_problem();
    if (at == Time::never()) continue;
    first.note(at < epoch_ ? Time{0} : at - epoch_, fmt::format("a rule of link{}", port));
  }
  return first;
}

}  // namespace cxlgpu

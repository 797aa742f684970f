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
#include <cerrno>

#include "common/input_error.hpp"
#include "flits/messages.hpp"
#include "tb/coverage.hpp"
#include "tb/fst_file.hpp"
#include "tb/rtl_engine.hpp"
#include "tb/run_until_quiet.hpp"
#include "tb/wide.hpp"

namespace cxlgpu {

// The flat ports of tb/cxlgpu_bench: widths and places.
namespace rtl_ports {

using flits::Direction;

inline constexpr unsigned kFlitBits = 528;
inline constexpr unsigned kFlitBytes = kFlitBits / 8;
inline constexpr unsigned kTrainingCycles = 500000;   // a noisy link may lose many retry sequences
inline constexpr unsigned kCreditCycles = 400;        // for all initial credits to be returned
inline constexpr unsigned kSettleCycles = 100;        // the blocks' share of what a last Ack takes
inline constexpr unsigned kRecoveryCycles = 2000000;  // the longest outage, and training
inline constexpr std::uint64_t kLinkDisable = 0xA;    // of phy_state
inline constexpr int kLastCycles = 8;                 // the last response's trace events

// trace_t, bit 0 first: info 8, line 46, id 16, valid 1.
inline constexpr unsigned kTraceBits = 71;
inline constexpr unsigned kTraceValid = 70;
// media_cmd_t: data 512, be 64, offset 2, slot 16, dpa 46, id 8, op 3, poison 1.
inline constexpr unsigned kMediaCmdBits = 652;
// media_rsp_t: data 512, error 1, id 8, op 3, poison 1.
inline constexpr unsigned kMediaRspBits = 525;
// media_status_t: tasks 7, backlog 7.
inline constexpr unsigned kMediaStatusBits = 14;
// lm_req_t: data 512, be 64, slot 12, index 4, kind 2, write 1. lm_rsp_t: data 512, index 4,
// kind 2, error 1 (never set: this local memory is sound).
inline constexpr unsigned kLmReqBits = 595;
inline constexpr unsigned kLmRspBits = 519;
inline constexpr unsigned kLineAddrBits = 46;
// reg_req_t: wdata 32, addr 16, write 1, valid 1.
inline constexpr std::uint64_t kRegWrite = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kRegValid = std::uint64_t{1} << 49;

// flit_kind_e, 2 bits.
inline constexpr unsigned kKindBits = 2;
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

// What trace point `index` of a port says, while it is valid.
template <typename Port>
Point point_at(const Port& bits, unsigned index) {
  const std::size_t at = kTraceBits * index;
  return {static_cast<std::uint32_t>(field(bits, at + 54, 16)), field(bits, at + 8, 46),
          static_cast<std::uint32_t>(field(bits, at, 8))};
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
  if (config.ports != kPorts) {
    throw InputError(
        fmt::format("key 'system.ports': {} ports, but this build's RTL has {}; use --engine model",
                    config.ports, kPorts));
  }
  context_->traceEverOn(!options.waves.empty());
  top_ = std::make_unique<Top>(context_.get());
  coverage_ = std::make_unique<CoverageWriter>(*context_);
  if (!options.flit_log.empty()) log_ = std::make_unique<flits::FlitLogWriter>(options.flit_log);
  for (unsigned port = 0; port < kPorts; ++port) {
    wires_.push_back(std::make_unique<WireMonitor>(
        config, port, options.faults, log_.get(),
        [this, port](Time at, Direction direction, const flits::Item& item) {
          on_message(port, at, direction, item);
        }));
  }
  if (!options.waves.empty()) {
    fst_ = std::make_unique<VerilatedFstC>();
    if constexpr (requires { top_->trace(fst_.get(), 99); }) {
      top_->trace(fst_.get(), 99);
    } else {
      throw std::logic_error("rtl: this build has no waves");
    }
    waves_.emplace(options.waves);
    if (waves_->through()) {
      throw InputError(
          fmt::format("{}: --waves goes back in the file; name a regular file", options.waves));
    }
    waves_->removes_too(waves_->part() + ".hier");
    fst_->open(waves_->part().c_str());
    if (!fst_->isOpen()) waves_->fail(errno);
  }
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
void BasicRtlEngine<Top, Ports>::reset_and_train(const RunConfig& config) {
  top_->clk_i = 0;
  top_->rst_ni = 0;
  top_->rready_i = 1;
  top_->bready_i = 1;
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
  set_register_port(space, index, kRegValid | kRegWrite | std::uint64_t{offset} << 32 | value);
  cycle();
  set_register_port(space, index, 0);
  cycle();
}

template <typename Top, unsigned Ports>
std::uint32_t BasicRtlEngine<Top, Ports>::read(RegisterSpace space, unsigned index,
                                               std::uint32_t offset) {
  set_register_port(space, index, kRegValid | std::uint64_t{offset} << 32);
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
    request += std::uint64_t{0x1000} * (index + 1) << 32;
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
  if (field(top_->rp_phy_state_o, 4 * port, 4) == kLinkDisable) return true;
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
                        kRegValid | what | std::uint64_t{wish.offset} << 32);
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
void BasicRtlEngine<Top, Ports>::drive_bus() {
  const bool write = offered_ && offered_->is_write;
  const bool read = offered_ && !offered_->is_write;
  top_->awvalid_i = write;
  top_->wvalid_i = write;
  top_->arvalid_i = read;
  if (write) {
    top_->awid_i = static_cast<std::uint16_t>(offered_->id);
    top_->awaddr_i = offered_->addr;
    top_->awsize_i = 6;
    top_->awburst_i = 1;
    top_->wlast_i = 1;
    top_->wstrb_i = offered_->byte_enable;
    set_bytes<kLineBytes>(top_->wdata_i, 0, offered_->data.data());
  } else if (read) {
    top_->arid_i = static_cast<std::uint16_t>(offered_->id);
    top_->araddr_i = offered_->addr;
    top_->arsize_i = 6;
    top_->arburst_i = 1;
  }
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_bus() {
  if (!offered_) return;
  const bool taken =
      offered_->is_write ? top_->awready_o && top_->wready_o : static_cast<bool>(top_->arready_o);
  if (!taken) return;
  offered_.reset();
  if (!first_request_) first_request_ = time_;
}

// R and B are registered: what they show after the edge is taken in the cycle that begins.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_answers() {
  if (top_->rvalid_o) {
    MemResponse answer;
    answer.id = top_->rid_o;
    answer.error = top_->rresp_o != 0;
    get_bytes<kLineBytes>(top_->rdata_o, 0, answer.data.data());
    answers_.push(answer);
  }
  if (top_->bvalid_o) {
    MemResponse answer;
    answer.id = top_->bid_o;
    answer.is_write = true;
    answer.error = top_->bresp_o != 0;
    answers_.push(answer);
  }
}

// What the PHY says at `edge` goes into the top's register.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::drive_link(unsigned port, Time edge) {
  WireMonitor& wire = *wires_[port];
  set_field(top_->ep_link_rx_valid_i, port, 1, 0);
  set_field(top_->rp_link_rx_valid_i, port, 1, 0);
  if (wire.due(edge)) {
    const WireMonitor::Arrivals arrivals = wire.receive(edge);
    const auto arrive = [&](Direction direction, auto& valid, auto& kind, auto& port_bits) {
      const auto& received = arrivals[flits::index(direction)];
      if (!received) return;
      set_field(valid, port, 1, 1);
      set_field(kind, kKindBits * port, kKindBits, kind_of(received->id));
      set_bytes<kFlitBytes>(port_bits, kFlitBits * port, received->flit.payload().data());
    };
    arrive(Direction::M2S, top_->ep_link_rx_valid_i, top_->ep_link_rx_kind_i,
           top_->ep_link_rx_flit_i);
    arrive(Direction::S2M, top_->rp_link_rx_valid_i, top_->rp_link_rx_kind_i,
           top_->rp_link_rx_flit_i);
  }
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
void BasicRtlEngine<Top, Ports>::sample_link(unsigned port) {
  const auto leave = [&](Direction direction, auto valid, const auto& kind, const auto& port_bits) {
    if (!bit_at(valid, port) || !wire_ready_[port][flits::index(direction)]) return;
    flits::Flit flit;
    flit.set_protocol_id(kIdOfKind[field(kind, kKindBits * port, kKindBits)]);
    get_bytes<kFlitBytes>(port_bits, kFlitBits * port, flit.payload().data());
    wires_[port]->send(direction, flit, time_);
  };
  leave(Direction::M2S, top_->rp_link_tx_valid_o, top_->rp_link_tx_kind_o, top_->rp_link_tx_flit_o);
  leave(Direction::S2M, top_->ep_link_tx_valid_o, top_->ep_link_tx_kind_o, top_->ep_link_tx_flit_o);
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::drive_media(unsigned port) {
  Media& media = *parts_.media[port];
  // Room is what there was before this cycle's answer leaves.
  bool ready = false;
  if (bit_at(top_->media_cmd_valid_o, port)) {
    const auto op = static_cast<MediaOp>(field(top_->media_cmd_o, kMediaCmdBits * port + 648, 3));
    ready = media.can_accept(media_time(), op);
  }
  set_field(top_->media_cmd_ready_i, port, 1, ready);
  // Before this cycle's command is submitted: it speaks of those before.
  const MediaStatus status = media.status(media_time());
  set_field(top_->media_status_i, kMediaStatusBits * port, kMediaStatusBits,
            static_cast<std::uint64_t>(status.tasks) << 7 | status.backlog);
  if (!media_answer_[port]) {
    media_answer_[port] = media.take(media_time());
    if (media_answer_[port]) {
      const MediaResponse& answer = *media_answer_[port];
      const unsigned at = kMediaRspBits * port;
      set_bytes<kLineBytes>(top_->media_rsp_i, at, answer.data.data());
      set_field(top_->media_rsp_i, at + 512, 1, answer.error);
      set_field(top_->media_rsp_i, at + 513, 8, answer.id);
      set_field(top_->media_rsp_i, at + 521, 3, static_cast<std::uint64_t>(answer.op));
      set_field(top_->media_rsp_i, at + 524, 1, answer.poison);
    }
  }
  set_field(top_->media_rsp_valid_i, port, 1, media_answer_[port].has_value());
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_media(unsigned port) {
  if (media_answer_[port] && bit_at(top_->media_rsp_ready_o, port)) media_answer_[port].reset();
  if (!bit_at(top_->media_cmd_valid_o, port) || !bit_at(top_->media_cmd_ready_i, port)) return;
  const auto& bits = top_->media_cmd_o;
  const unsigned at = kMediaCmdBits * port;
  MediaCommand command;
  command.op = static_cast<MediaOp>(field(bits, at + 648, 3));
  command.id = static_cast<std::uint8_t>(field(bits, at + 640, 8));
  command.dpa = field(bits, at + 594, 46) * kLineBytes;
  command.slot = static_cast<std::uint32_t>(field(bits, at + 578, 16));
  command.offset = static_cast<std::uint32_t>(field(bits, at + 576, 2) * kLineBytes);
  if (command.op == MediaOp::Write || command.op == MediaOp::ArrayWrite) {
    command.byte_enable = field(bits, at + 512, 32) | field(bits, at + 544, 32) << 32;
    get_bytes<kLineBytes>(bits, at, command.data.data());
    command.poison = bit_at(bits, at + 651);
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
    const unsigned at = kLmReqBits * port;
    LmRequest request;
    request.write = bit_at(bits, at + 594);
    request.kind = static_cast<LmKind>(field(bits, at + 592, 2));
    request.index = static_cast<unsigned>(field(bits, at + 588, 4));
    request.slot = static_cast<unsigned>(field(bits, at + 576, 12));
    if (request.write) {
      request.byte_enable = field(bits, at + 512, 32) | field(bits, at + 544, 32) << 32;
      get_bytes<kLineBytes>(bits, at, request.data.data());
    }
    taken = local_.offer(port, field(top_->lm_line_o, kLineAddrBits * port, kLineAddrBits), request,
                         media_time());
  }
  set_field(top_->lm_ready_i, port, 1, taken);
  const LmResponse* answer = local_.answer(port, media_time());
  set_field(top_->lm_rsp_valid_i, port, 1, answer != nullptr);
  if (answer == nullptr) return;
  const unsigned at = kLmRspBits * port;
  set_bytes<kLineBytes>(top_->lm_rsp_i, at, answer->data.data());
  set_field(top_->lm_rsp_i, at + 512, 4, answer->index);
  set_field(top_->lm_rsp_i, at + 516, 2, static_cast<std::uint64_t>(answer->kind));
  set_field(top_->lm_rsp_i, at + 518, 1, 0);
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
  if (bit_at(top_->tr_sys_accept_o, kTraceValid)) {
    const Point p = point_at(top_->tr_sys_accept_o, 0);
    raise(Stage::SysAccept, 0, p.id, p.line, p.info);
  }
  for (unsigned port = 0; port < kPorts; ++port) sample_port_traces(port);
  for (unsigned channel = 0; channel < 2; ++channel) {  // R, B
    if (!bit_at(top_->tr_sys_respond_o, kTraceBits * channel + kTraceValid)) continue;
    const Point p = point_at(top_->tr_sys_respond_o, channel);
    raise(Stage::SysRespond, 0, p.id, p.line, p.info);
  }
}

// Most points are silent in most cycles: their valid bits are looked at before all else.
template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::sample_port_traces(unsigned port) {
  const std::size_t valid_at = kTraceBits * port + kTraceValid;
  const std::size_t valid_word = valid_at / 32;
  const unsigned any = top_->tr_port_enqueue_o[valid_word] | top_->tr_memq_alloc_o[valid_word] |
                       top_->tr_ctrl_accept_o[valid_word] | top_->tr_ctrl_store_o[valid_word] |
                       top_->tr_spec_issue_o[valid_word] | top_->tr_ep_accept_o[valid_word] |
                       top_->tr_ep_lookup_o[valid_word] | top_->tr_media_issue_o[valid_word] |
                       top_->tr_media_done_o[valid_word] | top_->tr_ep_respond_o[valid_word] |
                       top_->tr_spec_fill_o[valid_word] | top_->tr_spec_drop_o[valid_word] |
                       top_->tr_spec_lost_o[valid_word] | top_->tr_port_respond_o[valid_word] |
                       top_->tr_load_control_o[valid_word] | top_->tr_ds_o[valid_word];
  if ((any >> (valid_at % 32) & 1) == 0) return;
  const auto by_id = [&](const auto& bits, Stage stage) {
    if (!bit_at(bits, valid_at)) return;
    const Point p = point_at(bits, port);
    raise(stage, port, p.id, p.line, p.info);
  };
  const auto by_tag = [&](const auto& bits, Stage stage) {
    if (!bit_at(bits, valid_at)) return;
    const Point p = point_at(bits, port);
    raise(stage, port, id_of_tag_[port][p.id & 63], p.line, p.info);
  };
  by_id(top_->tr_port_enqueue_o, Stage::PortEnqueue);
  if (bit_at(top_->tr_memq_alloc_o, valid_at)) {
    // There may be no sink: the tags are followed all the same.
    const Point alloc = point_at(top_->tr_memq_alloc_o, port);
    id_of_tag_[port][alloc.info & 63] = alloc.id;
    raise(Stage::MemqAlloc, port, alloc.id, alloc.line, alloc.info);
  }
  by_tag(top_->tr_ctrl_accept_o, Stage::CtrlAccept);
  by_tag(top_->tr_ctrl_store_o, Stage::CtrlAccept);
  by_id(top_->tr_spec_issue_o, Stage::SpecIssue);
  by_tag(top_->tr_ep_accept_o, Stage::EpAccept);
  by_tag(top_->tr_ep_lookup_o, Stage::EpLookup);
  by_tag(top_->tr_media_issue_o, Stage::MediaIssue);
  by_tag(top_->tr_media_done_o, Stage::MediaDone);
  by_tag(top_->tr_ep_respond_o, Stage::EpRespond);
  by_id(top_->tr_spec_fill_o, Stage::SpecFill);
  by_id(top_->tr_spec_drop_o, Stage::SpecDrop);
  by_id(top_->tr_spec_lost_o, Stage::SpecDrop);
  by_id(top_->tr_port_respond_o, Stage::PortRespond);
  by_id(top_->tr_load_control_o, Stage::LoadControl);
  if (bit_at(top_->tr_ds_o, valid_at)) {
    const Point p = point_at(top_->tr_ds_o, port);
    raise(Stage::DsEvent, port, 0, 0, p.id | static_cast<std::uint32_t>(p.line) << 16);
  }
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::dump(Time time) {
  if (!fst_) return;
  constexpr std::uint64_t kPsPerUs = 1'000'000;
  if (time.ps < options_.waves_from_us * kPsPerUs || time.ps > options_.waves_to_us * kPsPerUs) {
    return;
  }
  fst_->dump(time.ps);
  dumped_ = true;
}

template <typename Top, unsigned Ports>
std::optional<std::string> BasicRtlEngine<Top, Ports>::drain() {
  await_recovery();
  return stores_ ? drain_stores(*this, *this, kPorts) : std::nullopt;
}

template <typename Top, unsigned Ports>
void BasicRtlEngine<Top, Ports>::end(bool whole) {
  if (whole) await_recovery();
  for (int i = 0; i < kLastCycles; ++i) cycle();
  if (whole) run_until_quiet(*this, parts_.media);
  for (auto& wire : wires_) wire->end_run();
  for (unsigned port = 0; port < kPorts; ++port) {
    speculation_.push_back(read_speculation(*this, port));
    internal_dram_.push_back(read_internal_dram(*this, system_.endpoints[port]));
  }
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
    waves_problem_ = fmt::format("{}: the run ended at {:.3f} us, before --waves-from-us; lower it",
                                 options_.waves, static_cast<double>(time_.ps) / 1e6);
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

}  // namespace cxlgpu

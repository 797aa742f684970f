// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/io_path.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint32_t kTimeout = 10'000'000;  // cycles; never reached: who is there answers
constexpr unsigned kAfterPosted = 4;  // cycles in which the completer makes a posted access
// In the completer's register space: what is below is the owner's.
constexpr std::uint32_t kRas = 0x1000, kLink = 0x1080, kMailbox = 0x1400;
// In the root port's page, by offset[11:8].
constexpr std::uint32_t kHostRas = 1, kHostLink = 2, kHostStructures = 4;
// What the links of this system are trained to: CXL 2.0 with io and mem, sync-header bypass,
// drift buffer.
constexpr unsigned port_status(bool up) {
  return regs::dvsec_flex_bus::StatusReg{
      .io = up, .mem = up, .sync_bypass = true, .drift_buffer = true, .cxl2 = true}
      .word();
}
constexpr std::uint32_t kTrainingData = 0x416;

bool is_structure(const RegAccess& access) {
  return access.valid && access.addr >> 8 < kHostStructures;
}

void clock_structure(Ras& ras, const RegAccess& access, bool here) {
  Ras::In in;
  in.valid = here;
  in.write = access.write;
  in.addr = access.addr;
  in.wdata = access.data;
  ras.clock(in);
}
void clock_structure(LinkRegs& link, const RegAccess& access, bool here, bool link_up,
                     const LinkStatus& status) {
  link.clock({.valid = here,
              .write = access.write,
              .addr = access.addr,
              .wdata = access.data,
              .link_up = link_up,
              .status = status});
}

}  // namespace

IoPath::IoPath(unsigned number, const ConfigSpace::Parameters& device, EndpointRegisters* registers)
    : number_(number),
      registers_(registers),
      link_up_(registers != nullptr),
      requester_(0, kTimeout),
      config_(device),
      mailbox_(device.range1_size + device.range2_size),
      device_{.ras = Ras({.poison_fixed = true}), .link = {}, .status = {}} {
  if (registers == nullptr) return;
  constexpr unsigned kUp = 3, kVersion = 2;
  host_.status = {.init_state = kUp, .version = kVersion, .wrap = LinkRegs::Config{}.llrb_depth};
  device_.status = host_.status;
}

void IoPath::set_link(bool up) {
  if (link_up_ && !up) reset_device();
  link_up_ = up;
  clock({});
}

// PCI Express 5.0, 2.9.1: as by a hot reset. RAS, link, AER and vendor block are sticky.
void IoPath::reset_device() {
  completer_ = {};
  config_.hot_reset();
  mailbox_.reset();
  reg_rdata_ = 0;
  weights_ = {};
  registers_->reset_decoders();
  registers_->use_config(config_.eval());
}

bool IoPath::has(std::uint32_t offset) {
  return offset < regs::rp::kBlock;
}

void IoPath::set_link_status(const LinkStatus& host, const LinkStatus& device) {
  host_.status = host;
  device_.status = device;
}

void IoPath::write(std::uint32_t offset, std::uint32_t value) {
  clock({.valid = true, .write = true, .addr = offset, .data = value});
  while (access_.busy()) clock({});
  for (unsigned i = 0; i < kAfterPosted; ++i) clock({});
}

std::uint32_t IoPath::read(std::uint32_t offset) {
  clock({.valid = true, .addr = offset});
  return access_.eval().rdata | isolation_.eval({}).rdata | host_.rdata();
}

void IoPath::clock(const RegAccess& software) {
  const bool link_up = link_up_;
  const IoAccess::Out access = access_.eval();
  const IoRequester::Out host = requester_.eval();
  const PortConfigSpace::Out port_config = port_config_.eval();
  const IoRoute::In route_in{.device = number_,
                             .req = access.req,
                             .rsp_ready = true,
                             .down_ready = host.req_ready,
                             .down_rsp = host.rsp,
                             .cfg_rdata = port_config.rdata,
                             .bridge = port_config.bridge,
                             .reg_busy = is_structure(software),
                             .reg_rdata = isolation_.eval({}).rdata | host_.rdata()};
  const IoRoute::Out route = route_.eval(route_in);
  const ConfigSpace::Out config = config_.eval();
  const IoCompleter::In device_in{.link_up = link_up,
                                  .tlp_rx = host.tlp_tx,
                                  .tlp_tx_ready = true,
                                  .cfg_rdata = config.rdata,
                                  .mem_space_en = config.mem_space_en,
                                  .bar0 = config.bar0,
                                  .reg_rdata = reg_rdata_ | device_.rdata() | mailbox_.eval().rdata,
                                  .weight_io = weights_.io_weight.weight,
                                  .weight_cm = weights_.cm_weight.weight};
  const IoCompleter::Out device = completer_.eval(device_in);

  access_.clock(
      {.reg = software, .link_up = link_up, .req_ready = route.req_ready, .rsp = route.rsp});
  route_.clock(route_in);
  port_config_.clock({.access = route.cfg,
                      .device = number_,
                      .link_up = link_up,
                      .port_status = port_status(link_up),
                      .ts_data = kTrainingData});
  clock_port_registers(route.reg.valid ? route.reg : software);
  requester_.clock({.link_up = link_up,
                    .req = route.down,
                    .rsp_ready = route.down_rsp_ready,
                    .tlp_tx_ready = device.tlp_rx_ready,
                    .tlp_rx = device.tlp_tx});
  if (!link_up) return;
  completer_.clock(device_in);
  config_.clock({.access = device.cfg,
                 .mem_active = true,
                 .port_status = port_status(true),
                 .ts_data = kTrainingData,
                 .event = device.event,
                 .event_posted = device.event_posted,
                 .event_hdr = device.event_hdr});
  if (device.weight_io_we) weights_.io_weight.weight = device.weight;
  if (device.weight_cm_we) weights_.cm_weight.weight = device.weight;
  clock_device_registers(device.reg);
  if (device.cfg.valid && device.cfg.write) registers_->use_config(config_.eval());
}

void IoPath::clock_port_registers(const RegAccess& access) {
  const std::uint32_t block = access.addr >> 8;
  const bool ras = is_structure(access) && block == kHostRas;
  const bool link = is_structure(access) && block == kHostLink;
  clock_structure(host_.ras, access, ras);
  clock_structure(host_.link, access, link, link_up_, host_.status);
  isolation_.clock({.valid = is_structure(access) && !ras && !link,
                    .write = access.write,
                    .addr = access.addr,
                    .wdata = access.data,
                    .link_up = link_up_,
                    .busy = busy_});
}

// What is behind the completer.
void IoPath::clock_device_registers(const RegAccess& access) {
  const bool ras = access.valid && access.addr >= kRas && access.addr < kLink;
  const bool link = access.valid && access.addr >= kLink && access.addr < kMailbox;
  const bool mailbox = access.valid && access.addr >= kMailbox;
  clock_structure(device_.ras, access, ras);
  clock_structure(device_.link, access, link, link_up_, device_.status);
  mailbox_.clock({.valid = mailbox,
                  .write = access.write,
                  .addr = access.addr,
                  .wdata = access.data,
                  .media_ready = true});
  reg_rdata_ = 0;
  if (!access.valid || ras || link || mailbox) return;
  if (access.write) {
    registers_->write_register(access.addr, access.data);
  } else {
    reg_rdata_ = registers_->read_register(access.addr);
  }
}

}  // namespace cxlgpu

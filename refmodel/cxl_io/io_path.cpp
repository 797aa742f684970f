#include "refmodel/cxl_io/io_path.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint32_t kTimeout = 10'000'000;  // cycles; never reached: who is there answers
constexpr unsigned kAfterPosted = 4;    // cycles in which the completer makes a posted access
constexpr std::uint32_t kRas = 0x1000;  // from here on in the completer's register space
// What the links of this system are trained to: CXL 2.0 with io and mem, sync-header bypass.
constexpr unsigned kPortStatus = 0x3e;
constexpr std::uint32_t kTrainingData = 0x416;

}  // namespace

IoPath::IoPath(const ConfigSpace::Parameters& parameters, EndpointRegisters* registers)
    : registers_(registers), requester_(0, kTimeout), config_(parameters) {}

void IoPath::write(std::uint32_t offset, std::uint32_t value) {
  clock({.valid = true, .write = true, .addr = offset, .data = value});
  while (access_.busy()) clock({});
  for (unsigned i = 0; i < kAfterPosted; ++i) clock({});
}

std::uint32_t IoPath::read(std::uint32_t offset) {
  clock({.valid = true, .addr = offset});
  return access_.eval().rdata;
}

void IoPath::clock(const RegAccess& access) {
  const bool link_up = registers_ != nullptr;
  const IoAccess::Out software = access_.eval();
  const IoRequester::Out host = requester_.eval();
  const ConfigSpace::Out config = config_.eval();
  IoCompleter::In device_in{.link_up = link_up,
                            .tlp_rx = host.tlp_tx,
                            .tlp_tx_ready = true,
                            .cfg_rdata = config.rdata,
                            .mem_space_en = config.mem_space_en,
                            .bar0 = config.bar0,
                            .reg_rdata = reg_rdata_ | ras_.eval({}).rdata,
                            .weight_io = weight_io_,
                            .weight_cm = weight_cm_};
  const IoCompleter::Out device = completer_.eval(device_in);

  access_.clock({.reg = access, .link_up = link_up, .req_ready = host.req_ready, .rsp = host.rsp});
  requester_.clock({.link_up = link_up,
                    .req = software.req,
                    .rsp_ready = true,
                    .tlp_tx_ready = device.tlp_rx_ready,
                    .tlp_rx = device.tlp_tx});
  if (!link_up) return;
  completer_.clock(device_in);
  const unsigned event = device.event;
  config_.clock({.access = device.cfg,
                 .mem_active = true,
                 .port_status = kPortStatus,
                 .ts_data = kTrainingData,
                 .event = (event & 7) << 3 | (event >> 3 & 1) << 1});
  if (device.weight_io_we) weight_io_ = device.weight;
  if (device.weight_cm_we) weight_cm_ = device.weight;
  const bool ras = device.reg.valid && device.reg.addr >= kRas;
  Ras::In to_ras;
  to_ras.valid = ras;
  to_ras.write = device.reg.write;
  to_ras.addr = device.reg.addr;
  to_ras.wdata = device.reg.data;
  ras_.clock(to_ras);
  reg_rdata_ = 0;
  if (ras) return;
  if (device.reg.valid && device.reg.write) {
    registers_->write_register(device.reg.addr, device.reg.data);
  } else if (device.reg.valid) {
    reg_rdata_ = registers_->read_register(device.reg.addr);
  }
}

}  // namespace cxlgpu

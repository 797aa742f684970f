#include "refmodel/cxl_io/io_path.hpp"

#include "refmodel/common/registers.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint32_t kTimeout = 10'000'000;  // cycles; never reached: who is there answers
constexpr unsigned kAfterPosted = 4;  // cycles in which the completer makes a posted access
// In the completer's register space: what is below is the owner's.
constexpr std::uint32_t kRas = 0x1000, kLink = 0x1080;
// In the root port's page.
constexpr std::uint32_t kHostLink = 0x200, kHostLinkEnd = 0x300;
bool is_host_link(std::uint32_t offset) {
  return offset >= kHostLink && offset < kHostLinkEnd;
}
// What the links of this system are trained to: CXL 2.0 with io and mem, sync-header bypass.
constexpr unsigned kPortStatus = 0x3e;
constexpr std::uint32_t kTrainingData = 0x416;

}  // namespace

IoPath::IoPath(const ConfigSpace::Parameters& parameters, EndpointRegisters* registers)
    : registers_(registers), requester_(0, kTimeout), config_(parameters) {
  if (registers == nullptr) return;
  constexpr unsigned kUp = 3, kVersion = 2;
  host_status_ = {.init_state = kUp, .version = kVersion, .wrap = LinkRegs::Config{}.llrb_depth};
  device_status_ = host_status_;
}

bool IoPath::has(std::uint32_t offset) {
  namespace ioa = regs::io_access;
  const bool access = offset >= ioa::kBlock && offset < ioa::kBlock + ioa::kBlockBytes;
  return access || is_host_link(offset);
}

void IoPath::set_link_status(const LinkStatus& host, const LinkStatus& device) {
  host_status_ = host;
  device_status_ = device;
}

void IoPath::write(std::uint32_t offset, std::uint32_t value) {
  if (is_host_link(offset)) {
    host_link_.clock({.valid = true, .write = true, .addr = offset, .wdata = value});
    return;
  }
  clock({.valid = true, .write = true, .addr = offset, .data = value});
  while (access_.busy()) clock({});
  for (unsigned i = 0; i < kAfterPosted; ++i) clock({});
}

std::uint32_t IoPath::read(std::uint32_t offset) {
  if (is_host_link(offset)) {
    host_link_.clock({.valid = true, .addr = offset, .status = host_status_});
    return host_link_.eval().rdata;
  }
  clock({.valid = true, .addr = offset});
  return access_.eval().rdata;
}

void IoPath::clock(const RegAccess& access) {
  const bool link_up = registers_ != nullptr;
  const IoAccess::Out software = access_.eval();
  const IoRequester::Out host = requester_.eval();
  const ConfigSpace::Out config = config_.eval();
  IoCompleter::In device_in{
      .link_up = link_up,
      .tlp_rx = host.tlp_tx,
      .tlp_tx_ready = true,
      .cfg_rdata = config.rdata,
      .mem_space_en = config.mem_space_en,
      .bar0 = config.bar0,
      .reg_rdata = reg_rdata_ | ras_.eval({}).rdata | device_link_.eval().rdata,
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
  clock_registers(device.reg);
}

// What is behind the completer.
void IoPath::clock_registers(const RegAccess& access) {
  const bool ras = access.valid && access.addr >= kRas && access.addr < kLink;
  const bool link = access.valid && access.addr >= kLink;
  Ras::In to_ras;
  to_ras.valid = ras;
  to_ras.write = access.write;
  to_ras.addr = access.addr;
  to_ras.wdata = access.data;
  ras_.clock(to_ras);
  device_link_.clock({.valid = link,
                      .write = access.write,
                      .addr = access.addr,
                      .wdata = access.data,
                      .status = device_status_});
  reg_rdata_ = 0;
  if (!access.valid || ras || link) return;
  if (access.write) {
    registers_->write_register(access.addr, access.data);
  } else {
    reg_rdata_ = registers_->read_register(access.addr);
  }
}

}  // namespace cxlgpu

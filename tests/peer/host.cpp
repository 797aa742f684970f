// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <algorithm>

#include "enumerator.hpp"
#include "io_host.hpp"
#include "prober.hpp"
#include "task.hpp"
#include "traffic.hpp"
#include "wire.hpp"

namespace peer {
namespace {

IoLinkConfig io_config(const HostKnobs& k) {
  IoLinkConfig c;
  c.seed = k.seed + 3;
  c.headers = {8, 0, k.io_completion_credits};
  c.data = {32, 0, k.io_completion_credits == 0 ? 0U : std::max(8U, k.io_completion_credits)};
  // A root port takes no non-posted request of this device; one credit is the least it may grant.
  c.headers[1] = c.data[1] = 1;
  c.data_link_feature = k.io_data_link_feature;
  c.single_update = k.io_single_update;
  c.spread = (k.seed & 1) == 0;
  c.one_per_flit = k.io_one_per_flit;
  c.dllp_damage = k.io_dllp_damage_rate;
  c.tlp_damage = k.io_tlp_damage_rate;
  c.clean_line = k.clean_line;
  return c;
}

WireConfig wire_config(const HostKnobs& k) {
  WireConfig c;
  c.link.tx = Direction::M2S;
  c.link.seed = k.seed + 5;
  c.link.packing = static_cast<PackPolicy>(k.packing % 4);
  c.link.wrap = static_cast<uint8_t>(k.llrb_depth);
  c.link.wrap_inclusive = k.llr_wrap_inclusive;
  c.link.buffers_req = c.link.buffers_rwd = 0;
  c.link.buffers_ndr = k.ndr_buffer;
  c.link.buffers_drs = k.drs_buffer;
  c.link.one_credit_at_a_time = k.one_credit_at_a_time;
  c.link.corrupt_per_64k = k.damage_rate;
  c.link.retry_per_64k = k.retry_rate;
  c.link.flush_retimer = k.flush_retimer;
  c.link.cache_credits = k.cache_credits;
  c.arb.status_delay = k.status_delay;
  c.arb.weight_io = k.weight_io;
  c.arb.role = PortRole::Downstream;
  c.arb.seed = k.seed + 6;
  return c;
}

EnumeratorKnobs os_knobs(const HostKnobs& k) {
  EnumeratorKnobs e;
  e.use_ranges = k.use_ranges;
  e.config_lock = k.config_lock;
  e.lock_on_commit = k.lock_on_commit;
  e.viral_enable = k.viral_at != 0;
  e.power_management = k.power_management;
  e.bar_above_4g = k.io_bar_above_4g;
  e.window_base = k.window_base;
  e.vendor = k.vendor;
  e.window_size = k.window_size;
  return e;
}

constexpr uint64_t kDefaultWindow = uint64_t{256} << 20;
constexpr uint64_t kInitHold = 800;  // cycles that a late INIT.Param waits

}  // namespace

class Host::Impl {
 public:
  explicit Impl(const HostKnobs& knobs)
      : knobs_(knobs),
        random_(knobs.seed + 11),
        io_(io_config(knobs)),
        wire_(wire_config(knobs), io_.link()),
        traffic_(knobs, wire_, own_, counts_),
        os_(os_knobs(knobs), io_, remarks_),
        prober_(knobs.illegal, {io_, wire_, traffic_, os_.machine(), recoveries_}) {
    if (knobs_.hold_init_param) wire_.link().stall_init(true);
    if (knobs_.illegal != Illegal::None) prober_.arrange();
  }

  LinkOut cycle(const LinkIn& in) {
    own_.at(++counts_.cycles);
    os_.findings().at(counts_.cycles);
    if (was_up_ && !in.phy_up) link_down();
    if (!was_up_ && in.phy_up) ++counts_.link_ups;
    if (in.phy_recovery && !was_recovery_) ++recoveries_;
    was_up_ = in.phy_up;
    was_recovery_ = in.phy_recovery;
    if (io_.link().take_retrain_request()) wire_.retrain();
    if (knobs_.retrain_rate != 0 && phase_ == Phase::Traffic &&
        (random_() & 0xffff) < knobs_.retrain_rate) {
      wire_.retrain();
    }
    const LinkOut out = wire_.cycle(in);
    if (in.phy_up) work();
    return out;
  }

  void reset() {
    link_down();
    wire_.reset();
    io_.link().link_down();
    was_up_ = was_recovery_ = false;
    if (knobs_.hold_init_param) wire_.link().stall_init(true);
  }

  bool done() const {
    if (stuck_ || prober_.ended()) return stuck_ || prober_.done();
    return phase_ == Phase::Finished;
  }
  bool in_traffic() const { return phase_ == Phase::Traffic; }
  bool wants_hot_reset() const { return registers_begun_ && !hot_reset_done_ && registers_.done(); }
  const HostCounts& counts() {
    counts_.config_requests = io_.config_requests;
    counts_.memory_requests = io_.memory_requests;
    counts_.mdh_slots = wire_.link().mdh_slots_received();
    if (hot_reset_done_) counts_.mdh_slots_after = counts_.mdh_slots - mdh_slots_before_;
    return counts_;
  }
  const std::vector<std::string>& violations() {
    all_ = own_.lines();
    for (const Violations* more : {&wire_.violations(), &io_.violations()}) {
      all_.insert(all_.end(), more->lines().begin(), more->lines().end());
    }
    if (prober_.done() && !prober_.seen()) all_.push_back(prober_.finding());
    return all_;
  }
  const std::vector<std::string>& findings() { return os_.findings().lines(); }
  const std::vector<std::string>& remarks() const { return remarks_; }
  bool reaction_seen() const { return prober_.seen(); }
  std::string where() {
    static constexpr std::array kNames = {
        "link down", "waits for CXL.io", "enumerates", "waits for the link layer",
        "traffic",   "last checks",      "finished"};
    return std::string(kNames[static_cast<size_t>(phase_)]) + ", step \"" + os_.step() +
           "\", sent " + std::to_string(traffic_.sent()) + ", answered " +
           std::to_string(counts_.answered) + ", cycle " + std::to_string(counts_.cycles) +
           (wire_.active() ? "" : ", vLSM not Active") + (io_.link().up() ? "" : ", DL down") +
           (wire_.link().aborted() ? ", link layer aborted" : "");
  }

 private:
  enum class Phase : uint8_t { Down, WaitIo, Enumerate, WaitLink, Traffic, LastChecks, Finished };

  void link_down() {
    if (wants_hot_reset()) {
      hot_reset_done_ = true;
      mdh_slots_before_ = wire_.link().mdh_slots_received();
    }
    registers_.reset();
    script_.reset();
    background_.reset();
    probe_.reset();
    io_.forget_all();
    traffic_.link_down();
    const bool had_finished = phase_ == Phase::Finished;
    phase_ = had_finished ? Phase::Finished : Phase::Down;
    since_ = counts_.cycles;
    probe_started_ = false;
    ++downs_;
    viral_sent_ = false;
    if (knobs_.hold_init_param) wire_.link().stall_init(true);
    if (knobs_.illegal != Illegal::None && !prober_.done()) prober_.arrange();
  }

  void enter(Phase phase) {
    phase_ = phase;
    since_ = counts_.cycles;
  }

  void work() {
    if (knobs_.hold_init_param && counts_.cycles > since_ + kInitHold)
      wire_.link().stall_init(false);
    io_.cycle();
    switch (phase_) {
      case Phase::Down:
        enter(Phase::WaitIo);
        break;
      case Phase::WaitIo:
        if (!knobs_.enumerate) {
          enter(Phase::WaitLink);
        } else if (io_.link().up()) {
          enter(Phase::Enumerate);
          script_ = os_.run();
          script_.start();
        }
        break;
      case Phase::Enumerate:
        if (!script_.done()) break;
        if (os_.machine().ready) {
          enter(Phase::WaitLink);
        } else {
          own_.add("9.12", "the device cannot be set up for CXL.mem: " + os_.step());
          stuck_ = true;
        }
        break;
      case Phase::WaitLink:
        if (!wire_.active() || !wire_.link().initialised()) break;
        enter(Phase::Traffic);
        if (knobs_.link_registers) check_credits();
        if (knobs_.enumerate) {
          traffic_.begin(os_.machine().window_base, os_.machine().window_size);
        } else {
          traffic_.begin(knobs_.window_base,
                         knobs_.window_size != 0 ? knobs_.window_size : kDefaultWindow);
        }
        if (knobs_.enumerate && knobs_.io_background) {
          background_ = read_registers();
          background_.start();
        }
        break;
      case Phase::Traffic:
        run_traffic();
        break;
      case Phase::LastChecks:
        traffic_.cycle(false);
        if (script_.done()) enter(Phase::Finished);
        break;
      case Phase::Finished:
        traffic_.cycle(false);
        return;
    }
    watch();
  }

  // No request was sent yet: what the device has given is what it gives in all (8.2.5.11.3).
  void check_credits() {
    const LinkLayer& link = wire_.link();
    if (link.credits(MessageKind::Req) == os_.request_credits() &&
        link.credits(MessageKind::Rwd) == os_.data_credits()) {
      return;
    }
    own_.add("8.2.5.11.3",
             "credits given on this link: " + std::to_string(link.credits(MessageKind::Req)) +
                 " for requests and " + std::to_string(link.credits(MessageKind::Rwd)) +
                 " for data, by the register " + std::to_string(os_.request_credits()) + " and " +
                 std::to_string(os_.data_credits()));
  }

  void run_traffic() {
    if (knobs_.link_registers && !registers_begun_ && counts_.answered >= knobs_.requests / 2) {
      registers_begun_ = true;
      registers_ = os_.write_link_registers();
      registers_.start();
    }
    // What comes before the hot reset is not looked at: the stalls may act at once.
    if (registers_begun_ && !hot_reset_done_) {
      since_ = counts_.cycles;
      traffic_.cycle(false);
      return;
    }
    traffic_.cycle(true);
    if (knobs_.viral_at != 0 && !viral_sent_ && counts_.cycles - since_ >= knobs_.viral_at) {
      viral_sent_ = true;
      wire_.go_viral();
    }
    const bool probe_due = knobs_.illegal != Illegal::None && !prober_.done();
    if (probe_due && !probe_started_ && traffic_.sent() >= knobs_.illegal_at) {
      probe_started_ = true;
      probe_ = prober_.run();
      probe_.start();
    }
    if (probe_due || !traffic_.all_sent() || !traffic_.idle()) return;
    stop_background_ = true;
    if (!background_.done()) return;
    stop_background_ = false;
    enter(Phase::LastChecks);
    script_ = knobs_.enumerate ? last_checks() : Task<void>{};
    if (knobs_.enumerate) script_.start();
  }

  // A hang: for `patience` cycles nothing that was due has come.
  void watch() {
    uint64_t last = since_;
    if (phase_ == Phase::Traffic) {
      last = std::max(
          since_, counts_.answered != answered_ || traffic_.idle() ? counts_.cycles : progress_);
      answered_ = counts_.answered;
      progress_ = last;
    } else if (phase_ == Phase::Enumerate || phase_ == Phase::LastChecks) {
      const uint64_t now_completed = io_.completions();
      if (now_completed != completed_) progress_ = counts_.cycles;
      completed_ = now_completed;
      last = std::max(since_, progress_);
    }
    const uint64_t patience = phase_ == Phase::Enumerate ? 2 * knobs_.patience : knobs_.patience;
    if (!stuck_ && counts_.cycles - last > patience) {
      stuck_ = true;
      own_.add(phase_ == Phase::Traffic ? "3.3" : "5.1.2.2", "no progress: " + where());
    }
  }

  // Reads of registers that do not change, beside the traffic.
  Task<void> read_registers() {
    const Machine& m = os_.machine();
    const uint32_t id = co_await io_.read_config(0);
    const uint32_t array = co_await io_.read32(m.component + 0x1000);
    while (!stop_background_) {
      switch (random_() % 4) {
        case 0:
          if (co_await io_.read_config(0) != id)
            own_.add("PCIe 7.5.1.1.1", "another vendor ID than before");
          break;
        case 1:
          if (co_await io_.read32(m.component + 0x1000) != array)
            own_.add("8.2.5.1", "another capability header than before");
          break;
        case 2: {
          const auto value = static_cast<uint32_t>(random_() & 0xff);
          co_await io_.write_config(0x3c, value, 1);
          const uint32_t back = co_await io_.read_config(0x3c);
          if ((back & 0xff) != value)
            own_.add("PCIe 7.5.1.1.12", "Interrupt Line does not hold what is written");
          break;
        }
        default: {
          const auto value = static_cast<uint32_t>(random_()) & 0x1cfff;
          io_.write32(m.ras + 8, value);
          const uint32_t back = co_await io_.read32(m.ras + 8);
          if (back != value)
            own_.add("8.2.5.9.3", "the RAS severity register does not hold what is written");
        }
      }
      co_await io_.sleep(random_() % 100);
    }
  }

  // After legal traffic nothing is logged but what it was: poison.
  Task<void> last_checks() {
    const Machine& m = os_.machine();
    if (knobs_.illegal != Illegal::None) co_return;
    const uint32_t status = co_await io_.read32(m.ras);
    if (status != 0)
      own_.add("8.2.5.9.1",
               "an uncorrectable error after legal traffic: " + std::to_string(status));
    const uint32_t correctable = co_await io_.read32(m.ras + 0x0c);
    const bool poison = (correctable & 1U << 5) != 0;
    if (poison && counts_.poison_written == 0)
      own_.add("8.2.5.9", "Mem_Poison_Received although none was sent");
    if (!poison && counts_.poison_written != 0 && downs_ == 0) {
      own_.add("8.2.5.9.5", "poison was received and Mem_Poison_Received is not set");
    }
    const uint32_t device = (co_await io_.read_config(m.pcie + 8)) >> 16;
    if (knobs_.clean_line && (device & 0xe) != 0) {
      own_.add("PCIe 7.5.3.5",
               "an error in Device Status after legal requests: " + std::to_string(device));
    }
    if (viral_sent_) {
      const unsigned viral = co_await io_.read_config16(m.dvsec_device + 0x0e);
      if ((viral & 1 << 14) == 0) own_.add("12.4", "the host is viral and Viral_Status is not set");
    }
  }

  HostKnobs knobs_;
  std::mt19937_64 random_;
  HostCounts counts_;
  Violations own_;
  std::vector<std::string> remarks_;
  std::vector<std::string> all_;
  uint64_t recoveries_ = 0;
  IoHost io_;
  Wire wire_;
  Traffic traffic_;
  Enumerator os_;
  Prober prober_;
  Task<void> script_, background_, probe_, registers_;
  bool registers_begun_ = false, hot_reset_done_ = false;
  uint64_t mdh_slots_before_ = 0;
  Phase phase_ = Phase::Down;
  uint64_t since_ = 0, progress_ = 0, answered_ = 0, completed_ = 0;
  unsigned downs_ = 0;
  bool was_up_ = false, was_recovery_ = false;
  bool stuck_ = false, viral_sent_ = false, probe_started_ = false, stop_background_ = false;
};

Host::Host(const HostKnobs& knobs) : impl_(std::make_unique<Impl>(knobs)) {}
Host::~Host() = default;
LinkOut Host::cycle(const LinkIn& in) {
  return impl_->cycle(in);
}
void Host::reset() {
  impl_->reset();
}
bool Host::done() const {
  return impl_->done();
}
bool Host::in_traffic() const {
  return impl_->in_traffic();
}
bool Host::wants_hot_reset() const {
  return impl_->wants_hot_reset();
}
const std::vector<std::string>& Host::violations() const {
  return impl_->violations();
}
const std::vector<std::string>& Host::findings() const {
  return impl_->findings();
}
const std::vector<std::string>& Host::remarks() const {
  return impl_->remarks();
}
const HostCounts& Host::counts() const {
  return impl_->counts();
}
bool Host::reaction_seen() const {
  return impl_->reaction_seen();
}
std::string Host::where() const {
  return impl_->where();
}

}  // namespace peer

// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/flit_view.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace cxlgpu {
namespace {

using Json = nlohmann::ordered_json;

enum class Ink : unsigned char { Plain, Frame, Request, Answer, Data, Wrong };

struct Line {
  std::string text;  // ASCII
  Ink ink = Ink::Plain;
};
using Box = std::vector<Line>;

struct Titled {
  std::string title;
  Box lines;
};

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// What is not in ASCII, or moves the cursor, has no place in a drawing.
std::string plain(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

class Painter {
 public:
  explicit Painter(const FlitViewStyle& style) : style_(style) {
    style_.columns = std::clamp(style.columns, kMinFlitViewColumns, kMaxFlitViewColumns);
  }

  [[nodiscard]] std::string inked(std::string_view text, Ink ink) const {
    static constexpr const char* kCodes[] = {"", "2", "36", "32", "2", "31"};
    const std::string_view code = kCodes[static_cast<std::size_t>(ink)];
    if (!style_.colour || code.empty()) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  // Boxes side by side, as wide as the terminal.
  [[nodiscard]] std::string boxes(const std::vector<Titled>& all) const {
    const std::size_t width = (style_.columns - 1) / all.size() - 1;
    std::vector<Box> wrapped;
    std::size_t height = 0;
    for (const Titled& box : all) {
      wrapped.push_back(wrap(box.lines, width - 2));
      height = std::max(height, wrapped.back().size());
    }
    std::string out = edge(all, width, 0);
    for (std::size_t row = 0; row < height; ++row) {
      for (const Box& box : wrapped) {
        const Line line = row < box.size() ? box[row] : Line{};
        out += inked(sign(kBar), Ink::Frame) + ' ';
        out += inked(line.text, line.ink);
        out.append(width - 1 - line.text.size(), ' ');
      }
      out += inked(sign(kBar), Ink::Frame) + '\n';
    }
    return out + edge(all, width, 1);
  }

 private:
  enum Sign : unsigned char {
    kRule,
    kBar,
    kLeft,
    kMiddle,
    kRight,
    kLowLeft,
    kLowMiddle,
    kLowRight
  };
  [[nodiscard]] std::string_view sign(Sign which) const {
    static constexpr std::string_view kUtf8[] = {"─", "│", "┌", "┬", "┐", "└", "┴", "┘"};
    static constexpr std::string_view kAscii[] = {"-", "|", "+", "+", "+", "+", "+", "+"};
    return style_.utf8 ? kUtf8[which] : kAscii[which];
  }

  [[nodiscard]] std::string edge(const std::vector<Titled>& all, std::size_t width, int low) const {
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Sign corner =
          i == 0 ? (low != 0 ? kLowLeft : kLeft) : (low != 0 ? kLowMiddle : kMiddle);
      std::string title = low != 0 ? "" : ' ' + all[i].title.substr(0, width - 3) + ' ';
      out += sign(corner);
      out += sign(kRule);
      out += title;
      for (std::size_t c = title.size() + 1; c < width; ++c) out += sign(kRule);
    }
    out += sign(low != 0 ? kLowRight : kRight);
    return inked(out, Ink::Frame) + '\n';
  }

  // Lines of at most `width`: broken between words, and within one that is longer.
  static Box wrap(const Box& lines, std::size_t width) {
    Box out;
    for (const Line& line : lines) {
      std::string_view rest = line.text;
      do {
        std::size_t n = std::min(width, rest.size());
        if (n < rest.size()) {
          const auto space = rest.substr(0, n + 1).rfind(' ');
          if (space != std::string_view::npos && space != 0) n = space;
        }
        out.push_back({std::string(rest.substr(0, n)), line.ink});
        rest.remove_prefix(n);
        if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
      } while (!rest.empty());
    }
    return out;
  }

  FlitViewStyle style_;
};

void add_message(const Json& message, Box& box) {
  const std::string kind = value_text(message.at("kind"));
  const bool request =
      kind.find("Req") != std::string::npos || kind.find("RwD") != std::string::npos;
  std::string head = kind;
  if (message.contains("opcode")) head += ' ' + value_text(message["opcode"]);
  box.push_back({head, request ? Ink::Request : Ink::Answer});
  const bool meta = message.contains("meta_field") && message["meta_field"] == "Meta0-State";
  for (const auto& [key, value] : message.items()) {
    if (key == "kind" || key == "opcode" || key == "meta_field") continue;
    if (value.is_boolean()) {
      if (value.get<bool>()) box.push_back({key, key == "poison" ? Ink::Wrong : Ink::Plain});
      continue;
    }
    if ((key == "meta_value" && !meta) || value == "No-Op") continue;
    if ((key == "tc" || key == "ld_id") && value == 0) continue;
    // An address alone is known by its looks, and fits.
    box.push_back({key == "address"      ? value_text(value)
                   : key == "meta_value" ? "meta " + value_text(value)
                                         : key + ' ' + value_text(value)});
  }
}

void add_data(const std::string& hex, Box& box) {
  if (hex.find_first_not_of('0') == std::string::npos) {
    box.push_back({"-", Ink::Data});
    return;
  }
  for (std::size_t at = 0; at < hex.size(); at += 16)
    box.push_back({hex.substr(at, 16), Ink::Data});
}

std::vector<Titled> slots_of(const Json& flit) {
  std::vector<Titled> boxes;
  unsigned s = 0;
  for (const Json& slot : flit.at("slots")) {
    Titled box{fmt::format("slot {} {}", s++, value_text(slot.at("format"))), {}};
    if (slot.contains("data")) {
      add_data(value_text(slot["data"]), box.lines);
    } else {
      for (const Json& message : slot.at("messages")) add_message(message, box.lines);
    }
    if (box.lines.empty()) box.lines.push_back({"-", Ink::Data});
    boxes.push_back(std::move(box));
  }
  return boxes;
}

std::vector<Titled> chunks_of(const Json& flit) {
  std::vector<Titled> boxes;
  for (const Json& chunk : flit.at("chunks")) {
    Titled box{fmt::format("slot {} data", boxes.size()), {}};
    add_data(value_text(chunk), box.lines);
    boxes.push_back(std::move(box));
  }
  return boxes;
}

Titled packets_of(const Json& flit) {
  Titled box{"16 DW of CXL.io", {}};
  for (const Json& packet : flit.at("packets")) {
    const unsigned first = packet.at("dw"), count = packet.at("dws");
    std::string text =
        fmt::format("DW {}-{}: {}", first, first + count - 1, value_text(packet.at("kind")));
    bool wrong = packet.at("kind") == "framing error";
    for (const auto& [key, value] : packet.items()) {
      if (key == "kind" || key == "dw" || key == "dws") continue;
      if (key == "crc_ok") {
        if (value == false) {
          text += " (CRC error)";
          wrong = true;
        }
      } else if (value.is_boolean()) {
        if (value.get<bool>()) text += ' ' + key;
      } else if (value != 0 || (key != "tc" && key != "attr" && key != "at")) {
        text += key == "type" || key == "part" ? ' ' + value_text(value)
                                               : fmt::format(" {}={}", key, value_text(value));
      }
    }
    box.lines.push_back({text, wrong ? Ink::Wrong : Ink::Plain});
  }
  if (box.lines.empty()) box.lines.push_back({"idle", Ink::Data});
  return box;
}

Titled fields_of(std::string title, const Json& fields) {
  std::string text;
  for (const auto& [key, value] : fields.items()) {
    if (key == "credits") continue;
    text += (text.empty() ? "" : " ") +
            (key == "type" ? value_text(value) : key + '=' + value_text(value));
  }
  return {std::move(title), {{text}}};
}

std::string credits_text(const Json& credits) {
  std::string text;
  for (const auto& [key, value] : credits.items()) {
    text += fmt::format("  {}Crd={}:{}",
                        key == "rsp"   ? "Rsp"
                        : key == "req" ? "Req"
                                       : "Data",
                        value_text(value.at("pool")), value_text(value.at("count")));
  }
  return text;
}

}  // namespace

FlitViewStyle flit_view_style() {
  FlitViewStyle style;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  winsize size{};
  if (const unsigned long columns = std::strtoul(variable("COLUMNS").data(), nullptr, 10);
      columns != 0) {
    style.columns = static_cast<unsigned>(std::min<unsigned long>(columns, kMaxFlitViewColumns));
  } else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    style.columns = size.ws_col;
  }
  // The first that is set decides, as in setlocale().
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = variable(name);
    if (locale.empty()) continue;
    style.utf8 = locale.find("UTF-8") != std::string_view::npos ||
                 locale.find("utf8") != std::string_view::npos ||
                 locale.find("UTF8") != std::string_view::npos ||
                 locale.find("utf-8") != std::string_view::npos;
    break;
  }
  style.colour = terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return style;
}

std::string draw_flit(const Json& flit, const FlitViewStyle& style) {
  const Painter painter(style);
  std::string title;
  if (flit.contains("time_ps")) {
    title =
        fmt::format("{} ps  {}  ", value_text(flit["time_ps"]), plain(value_text(flit.at("link"))));
  }
  if (flit.contains("event")) {
    return painter.inked(title + (flit["event"] == "down" ? "link down" : "Recovery"), Ink::Wrong) +
           '\n';
  }
  title += value_text(flit.at("direction")) + "  " + value_text(flit.at("protocol"));
  if (flit.contains("header")) {
    const Json& header = flit["header"];
    for (const char* bit : {"ak", "be", "sz"}) {
      if (header.at(bit) == true)
        title += fmt::format("  {}", bit[0] == 'a' ? "Ak" : bit[0] == 'b' ? "BE" : "Sz");
    }
    title += credits_text(header.at("credits"));
  }
  if (flit.contains("control") && flit["control"].contains("credits")) {
    title += credits_text(flit["control"]["credits"]);
  }
  const bool crc_bad = flit.contains("crc_ok") && flit["crc_ok"] == false;
  if (crc_bad) title += "  CRC error";
  if (flit.contains("fault")) title += "  " + value_text(flit["fault"]);
  const bool discarded = flit.contains("discarded") && flit["discarded"] == true;
  if (discarded) title += "  discarded";
  std::string out = painter.inked(title, crc_bad || discarded ? Ink::Wrong : Ink::Plain) + '\n';
  if (flit.contains("slots")) return out + painter.boxes(slots_of(flit));
  if (flit.contains("chunks")) return out + painter.boxes(chunks_of(flit));
  if (flit.contains("packets")) return out + painter.boxes({packets_of(flit)});
  if (flit.contains("control")) return out + painter.boxes({fields_of("control", flit["control"])});
  if (flit.contains("almp")) return out + painter.boxes({fields_of("ALMP", flit["almp"])});
  Titled raw{"68 bytes", {}};
  raw.lines.push_back({flit.contains("raw") ? value_text(flit["raw"]) : "", Ink::Data});
  return out + painter.boxes({raw});
}

}  // namespace cxlgpu

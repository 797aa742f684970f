# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Constraints of root_complex, root_port, endpoint, cxl_controller or cxlgpu_top as the top, and of each block of
# rtl/flex_bus and rtl/cache: one clock, one reset. In your own chip, take clock and reset into its file, not the ports.
# The nominal clock is 1 GHz; docs/guide/integrate.md says how deep the paths are.
set period 1.0

create_clock -name clk -period $period [get_ports clk_i]
set_clock_uncertainty [expr 0.05 * $period] [get_clocks clk]
# Asserted at any time, released beside a clock edge: by a synchroniser of the chip, of which recovery is checked.
set_false_path -hold -from [get_ports rst_ni]

# Ports are of neighbours with the same clock: a third of the cycle is theirs.
set_input_delay [expr 0.33 * $period] -clock clk [all_inputs]
set_output_delay [expr 0.33 * $period] -clock clk [all_outputs]

# Levels of the physical layer and of straps come from wherever they come from: synchronise them before the port.

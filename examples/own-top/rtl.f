-y rtl/common
-y rtl/controller
-y rtl/cache
-y rtl/flex_bus
-y rtl/cxl_io
-y rtl/root_port
-y rtl/host_bridge
-y rtl/endpoint
-y rtl/top
rtl/pkg/cxl_io_pkg.sv
rtl/pkg/cxl_pkg.sv
rtl/pkg/cxl_reg_pkg.sv
rtl/pkg/cxl_reg_types_pkg.sv
rtl/pkg/cxlgpu_pkg.sv
rtl/pkg/cxlgpu_port_pkg.sv
rtl/pkg/cxlgpu_size_pkg.sv

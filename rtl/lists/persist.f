// persist in compile order. Made by scripts/manifests.py: do not edit.
../pkg/cxl_pkg.sv
../pkg/cxlgpu_pkg.sv
../common/fifo.sv
../host_bridge/persist_join.sv
../root_port/persist_tracker.sv

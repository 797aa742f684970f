// cache in compile order. Made by scripts/manifests.py: do not edit.
../pkg/cxl_pkg.sv
../cache/device_agent.sv
../cache/host_responder.sv

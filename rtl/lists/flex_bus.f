// flex_bus in compile order. Made by scripts/manifests.py: do not edit.
../pkg/cxl_pkg.sv
../flex_bus/apn.sv
../flex_bus/drift_buffer.sv
../flex_bus/elastic_buffer.sv
../flex_bus/protocol_id.sv
../flex_bus/flex_bus_rx.sv
../flex_bus/flex_bus_tx.sv
../flex_bus/lane_deskew.sv

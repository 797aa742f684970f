// verilate() adds its sources to a target, which must have at least one of its own.

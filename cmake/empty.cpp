// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// verilate() adds its sources to a target, which must have at least one of its own.

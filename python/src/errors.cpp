// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <filesystem>
#include <new>

#include "api/cxlgpu.hpp"
#include "common/input_error.hpp"
#include "flits/flit_log.hpp"
#include "flits/message.hpp"
#include "flits/output_file.hpp"
#include "python/src/bindings.hpp"

namespace cxlgpu::python {

namespace {

// cxlgpu.Error(where, wrong, remedy).
void raise(const Error& error) {
  const nb::object type = nb::module_::import_("cxlgpu._error").attr("Error");
  const auto text = [](const std::string& bytes) {  // a path need not be UTF-8
    return nb::steal(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
  };
  const nb::object made = type(text(error.where()), text(error.wrong()), text(error.remedy()));
  PyErr_SetObject(type.ptr(), made.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& e) {
    raise(e);
  } catch (const InputError& e) {
    raise(Error(e.what()));
  } catch (const flits::InputError& e) {
    raise(Error(e.what()));
  } catch (const flits::OutputError& e) {
    raise(Error(e.what()));
  } catch (const std::filesystem::filesystem_error& e) {
    raise(Error(one_line(e.path1().string()), e.code().message(), "use another name"));
  } catch (const std::bad_alloc&) {
    raise(Error("memory", "there is not enough of it", "use less data, or a smaller machine"));
  }
}

}  // namespace

void add_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace cxlgpu::python

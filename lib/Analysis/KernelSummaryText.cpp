//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Text and JSON forms of a kernel summary.
//===----------------------------------------------------------------------===//
#include "helionc/Analysis/KernelSummary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc::analysis;
namespace json = llvm::json;

namespace {

std::string withPrefix(double value, llvm::StringRef unit) {
  static constexpr const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
  unsigned index = 0;
  for (; value >= 1000 && index + 1 < std::size(prefixes); ++index)
    value /= 1000;
  return llvm::formatv("{0:f2} {1}{2}", value, prefixes[index], unit).str();
}

std::string bytesText(double bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  unsigned index = 0;
  for (; bytes >= 1024 && index + 1 < std::size(units); ++index)
    bytes /= 1024;
  return llvm::formatv(index ? "{0:f1} {1}" : "{0:f0} {1}", bytes, units[index]).str();
}

void printList(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> values) {
  os << '[';
  llvm::interleave(values, os, [&](int64_t value) { os << value; }, ", ");
  os << ']';
}

void printLoop(llvm::raw_ostream &os, const LoopSummary &loop, unsigned depth) {
  std::string indent(2 * depth, ' ');
  os << indent << (loop.isGrid ? "parallel loop" : "sequential loop");
  if (loop.line)
    os << " (line " << loop.line << ')';
  os << ':';
  for (const LoopDim &dim : loop.dims) {
    os << (&dim == &loop.dims.front() ? " " : ", ");
    if (dim.extent)
      os << *dim.extent;
    else
      os << "a run-time count";
    os << " in blocks of " << (dim.param.empty() ? std::to_string(dim.defaultBlock) : dim.param);
    if (!dim.dotRole.empty())
      os << " (" << dim.dotRole << " of the dot)";
    if (dim.isReduced)
      os << " (reduced)";
  }
  os << '\n';
  for (const OpSummary &op : loop.ops) {
    os << indent << "  " << op.text;
    if (op.kind == OpSummary::Kind::Dot)
      os << ", " << withPrefix(op.flops, "FLOP") << " in all";
    if (op.bytes > 0)
      os << ", " << bytesText(op.bytes) << " in all";
    if (op.isMasked)
      os << ", masked";
    os << '\n';
  }
  for (const LoopSummary &inner : loop.inner)
    printLoop(os, inner, depth + 1);
}

json::Value loopJson(const LoopSummary &loop) {
  json::Array dims, ops, inner;
  for (const LoopDim &dim : loop.dims)
    dims.push_back(json::Object{{"param", dim.param},
                                {"default_block", dim.defaultBlock},
                                {"extent", dim.extent ? json::Value(*dim.extent) : json::Value(nullptr)},
                                {"dot_role", dim.dotRole},
                                {"reduced", dim.isReduced}});
  for (const OpSummary &op : loop.ops)
    ops.push_back(json::Object{{"text", op.text},
                               {"flops", op.flops},
                               {"transcendentals", op.transcendentals},
                               {"bytes", op.bytes},
                               {"masked", op.isMasked}});
  for (const LoopSummary &child : loop.inner)
    inner.push_back(loopJson(child));
  return json::Object{{"parallel", loop.isGrid},
                      {"line", loop.line},
                      {"dims", std::move(dims)},
                      {"operations", std::move(ops)},
                      {"inner", std::move(inner)}};
}

} // namespace

std::string KernelSummary::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "kernel " << kernel << "\n\ntensors\n";
  for (const TensorSummary &tensor : tensors) {
    os << "  " << tensor.name << ": " << tensor.role << ' ' << tensor.dtype;
    printList(os, tensor.shape);
    os << " strides ";
    printList(os, tensor.strides);
    os << ", " << bytesText(double(tensor.bytes)) << '\n';
  }
  for (const std::string &scalar : scalars)
    os << "  " << scalar << ", a scalar\n";
  os << "\nloops\n";
  for (const LoopSummary &launch : launches)
    printLoop(os, launch, 1);
  os << "\nwork\n  " << withPrefix(flops, "FLOP");
  if (transcendentals > 0)
    os << ", " << withPrefix(transcendentals, "transcendental functions");
  os << "\n  " << bytesText(uniqueBytes) << " when every input is read once and every output written once\n  "
     << bytesText(movedBytes) << " moved by loads and stores in the default configuration\n"
     << llvm::formatv("  arithmetic intensity {0:f1} FLOP/byte\n", arithmeticIntensity());
  return text;
}

json::Value KernelSummary::toJson() const {
  json::Array tensorArray, launchArray;
  for (const TensorSummary &tensor : tensors)
    tensorArray.push_back(json::Object{{"name", tensor.name},
                                       {"role", tensor.role},
                                       {"dtype", tensor.dtype},
                                       {"shape", tensor.shape},
                                       {"strides", tensor.strides},
                                       {"bytes", tensor.bytes}});
  for (const LoopSummary &launch : launches)
    launchArray.push_back(loopJson(launch));
  return json::Object{{"kernel", kernel},
                      {"tensors", std::move(tensorArray)},
                      {"scalars", scalars},
                      {"launches", std::move(launchArray)},
                      {"flops", flops},
                      {"transcendentals", transcendentals},
                      {"unique_bytes", uniqueBytes},
                      {"moved_bytes", movedBytes},
                      {"arithmetic_intensity", arithmeticIntensity()},
                      {"has_dot", hasDot},
                      {"has_reduction", hasReduction},
                      {"has_gather", hasGather},
                      {"dot_dtype", dotDtype}};
}

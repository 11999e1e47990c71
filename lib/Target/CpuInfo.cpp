//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What the host processor is.
//===----------------------------------------------------------------------===//
#include "helionc/Target/CpuTarget.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <sched.h>
#include <unistd.h>

using namespace helionc::target;

static int usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max<int>(1, sysconf(_SC_NPROCESSORS_ONLN));
}

static int64_t cacheBytes(int name) { return std::max<int64_t>(0, sysconf(name)); }

static CpuInfo findHost() {
  CpuInfo info;
  info.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (const auto &feature : features)
    names.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  llvm::sort(names);
  for (const std::string &name : names)
    info.features += (info.features.empty() ? "" : ",") + name;
  if (features.lookup("avx512f") && features.lookup("avx512vl"))
    info.vectorBits = 512;
  else if (features.lookup("avx2"))
    info.vectorBits = 256;
  info.cores = usableCores();
  info.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE);
  info.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE);
  info.l3Bytes = cacheBytes(_SC_LEVEL3_CACHE_SIZE);
  return info;
}

const CpuInfo &helionc::target::hostCpu() {
  static const CpuInfo info = findHost();
  return info;
}

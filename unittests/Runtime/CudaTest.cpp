//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of calls and measurements on GPUs, against a fake driver.
//===----------------------------------------------------------------------===//

#include "TestImages.h"
#include "helionc/Artifact/SharedLibrary.h"
#include "helionc/Runtime/LibraryHandle.h"
#include "helionc/Runtime/Problem.h"
#include "helionc/Runtime/WorkerProcess.h"
#include "helionc/Support/FileSystem.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace helionc;
using namespace helionc::runtime;
namespace json = llvm::json;

namespace {

artifact::KernelImage gpuKernel(const std::string &cubin, const std::string &target = "sm_90a") {
  artifact::KernelImage image = testkernels::rowKernel("add");
  image.target = target;
  image.code = cubin;
  image.launches.front().blockThreads = 32;
  return image;
}

/// A worker that finds the fake driver; its own process, so that no other test does.
class CudaTest : public ::testing::Test {
protected:
  void SetUp() override { prepare({}); }
  void prepare(const std::string &capability) {
    std::vector<std::string> command = {"env", "LD_LIBRARY_PATH=" HELIONC_FAKE_CUDA};
    if (!capability.empty())
      command.push_back("FAKE_CUDA_CAPABILITY=" + capability);
    command.push_back(HELIONC_TEST_WORKER);
    worker = std::make_unique<WorkerProcess>(command);
    Problem problem;
    problem.kernel = "add";
    problem.args = gpuKernel("").args;
    problem.referencePath = folder.path() + "/reference";
    llvm::cantFail(
        support::writeFileAtomically(folder.path() + "/problem", llvm::formatv("{0}", problem.toJson()).str()));
    WorkerReply reply = worker->request(json::Object{{"op", "reference"},
                                                     {"artifact", library(testkernels::rowKernel("add"), "reference")},
                                                     {"problem", folder.path() + "/problem"},
                                                     {"out", problem.referencePath}},
                                        20);
    ASSERT_EQ(reply.body.getString("status").value_or(""), "ok") << reply.reason;
  }
  std::string library(const artifact::KernelImage &image, const std::string &name) {
    std::string path = folder.path() + "/" + name + ".so";
    llvm::cantFail(artifact::writeSharedLibrary({image}, path));
    return path;
  }
  /// "ok", or the status with the error.
  std::string measure(const artifact::KernelImage &image, const char *device = "cuda:0") {
    WorkerReply reply = worker->request(json::Object{{"op", "measure"},
                                                     {"artifact", library(image, "candidate" + std::to_string(++made))},
                                                     {"problem", folder.path() + "/problem"},
                                                     {"device", device},
                                                     {"target_seconds", 0.01}},
                                        20);
    std::string status = reply.body.getString("status").value_or(reply.reason).str();
    return status == "ok" ? status : status + ": " + reply.body.getString("error").value_or("").str();
  }

  support::TempDirectory folder;
  std::unique_ptr<WorkerProcess> worker;
  int made = 0;
};

} // namespace

TEST_F(CudaTest, MeasuresOnEitherDevice) {
  EXPECT_EQ(measure(gpuKernel("add")), "ok");
  EXPECT_EQ(measure(gpuKernel("add"), "cuda:1"), "ok");
  EXPECT_EQ(measure(gpuKernel("add"), "cuda:2"), "launch_error: opening the GPU failed: invalid device ordinal");
}

TEST_F(CudaTest, AFaultCostsOneCandidate) {
  std::string fault = measure(gpuKernel("fault"));
  EXPECT_NE(fault.find("an illegal memory access was encountered"), std::string::npos) << fault;
  EXPECT_EQ(measure(gpuKernel("add")), "ok");
}

TEST_F(CudaTest, SaysWhatTheDriverSays) {
  EXPECT_EQ(measure(gpuKernel("damaged")),
            "launch_error: the driver cannot load the code for sm_90a: device kernel image is invalid");
  EXPECT_EQ(measure(gpuKernel("add")), "ok");
  artifact::KernelImage large = gpuKernel("add");
  large.launches.front().smemBytes = 300 * 1024;
  EXPECT_EQ(measure(large),
            "launch_error: the driver cannot prepare add_0 with 307200 bytes of shared memory: another error");
}

TEST_F(CudaTest, CodeOfAnotherArchitectureIsRefused) {
  prepare("80");
  EXPECT_EQ(measure(gpuKernel("add")), "launch_error: add: this library holds code for sm_90a, the device is sm_80");
  EXPECT_EQ(measure(gpuKernel("add", "sm_80")), "ok");
  prepare("100");
  EXPECT_EQ(measure(gpuKernel("add")), "launch_error: add: this library holds code for sm_90a, the device is sm_100");
}

TEST(Cuda, WithoutADriverItSaysSo) {
  if (void *driver = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(driver);
    GTEST_SKIP() << "there is a driver";
  }
  support::TempDirectory folder;
  std::string path = folder.path() + "/add.so";
  llvm::cantFail(artifact::writeSharedLibrary({gpuKernel("add")}, path));
  LibraryHandle library = llvm::cantFail(LibraryHandle::open(path, "add"));
  testkernels::HostTensor x({4, 8}), y({4, 8}), out({4, 8});
  std::vector<void *> arguments;
  for (testkernels::HostTensor *tensor : {&x, &y, &out}) {
    tensor->tensor.device = {kDLCUDA, 0};
    arguments.push_back(&tensor->tensor);
  }
  EXPECT_EQ(llvm::toString(library.call(arguments, nullptr)),
            "no GPU can be used: there is no CUDA driver (libcuda.so.1)");
}

//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of libraries: what they export, how they check arguments and choose images.
//===----------------------------------------------------------------------===//

#include "helionc/Artifact/SharedLibrary.h"
#include "TestImages.h"
#include "helionc/Artifact/HeaderWriter.h"
#include "helionc/Support/FileSystem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace helionc;
using namespace helionc::testkernels;
using artifact::ArgRole;

namespace {

/// A library of images, written and loaded.
class Loaded {
public:
  explicit Loaded(std::vector<artifact::KernelImage> images) : kernel(images.front().kernel) {
    path = folder.path() + "/library.so";
    llvm::Error error = artifact::writeSharedLibrary(images, path);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      ADD_FAILURE() << dlerror();
  }
  ~Loaded() {
    if (library)
      dlclose(library);
  }
  template <typename Function> Function *entry(const std::string &suffix = "") const {
    void *symbol = library ? dlsym(library, ("helion_" + kernel + suffix).c_str()) : nullptr;
    EXPECT_NE(symbol, nullptr) << suffix;
    return reinterpret_cast<Function *>(symbol);
  }
  int call(DLTensor *x, DLTensor *y, DLTensor *out) const {
    return entry<int(DLTensor *, DLTensor *, DLTensor *, void *)>()(x, y, out, nullptr);
  }
  std::string error() const { return entry<const char *()>("_last_error")(); }

  support::TempDirectory folder;
  std::string kernel, path;
  void *library = nullptr;
};

/// A call of add with good arguments, to be spoiled.
class BadArgument : public ::testing::Test {
protected:
  std::string errorOf(DLTensor *first, DLTensor *second, DLTensor *result) {
    int code = library.call(first, second, result);
    EXPECT_EQ(code, 1);
    return code ? library.error() : "no error";
  }
  std::string errorOfCall() { return errorOf(x, y, out); }
  Loaded library{{rowKernel("add")}};
  HostTensor x{{4, 8}}, y{{4, 8}, 100}, out{{4, 8}};
};

} // namespace

TEST(SharedLibrary, RunsItsKernel) {
  Loaded library({rowKernel("add")});
  HostTensor x({4, 8}), y({4, 8}, 100), out({4, 8});
  ASSERT_EQ(library.call(x, y, out), 0) << library.error();
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out.values[size_t(i)], 100 + 2 * float(i));
}

TEST(SharedLibrary, ExportsItsEntriesAndNothingElse) {
  Loaded library({rowKernel("add")});
  auto file = llvm::object::ObjectFile::createObjectFile(library.path);
  ASSERT_TRUE(bool(file));
  std::vector<std::string> exported;
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->getBinary());
  for (const llvm::object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators())
    if (!(llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined))
      if (llvm::StringRef name = llvm::cantFail(symbol.getName()); !name.empty())
        exported.push_back(name.str());
  llvm::sort(exported);
  EXPECT_EQ(llvm::join(exported, " "), "helion_add helion_add_config helion_add_describe helion_add_invoke "
                                       "helion_add_last_error helion_add_outputs");
}

TEST(SharedLibrary, DescribesItself) {
  Loaded library({rowKernel("add")});
  EXPECT_STREQ(library.entry<const char *()>("_config")(), R"({"block_sizes":[1]})");
  std::string text = library.entry<const char *()>("_describe")();
  EXPECT_NE(text.find(R"("name":"out")"), std::string::npos) << text;
  HostTensor x({4, 8}), y({4, 8});
  DLTensor made[2];
  ASSERT_EQ((library.entry<int(DLTensor *, DLTensor *, DLTensor *, int64_t)>("_outputs")(x, y, made, 2)), 1);
  EXPECT_EQ(made[0].ndim, 2);
  EXPECT_EQ(made[0].shape[1], 8);
  EXPECT_EQ(made[0].dtype.bits, 32);
}

TEST(SharedLibrary, RunsLaunchesInOrderOverATemporary) {
  artifact::KernelImage image = rowKernel("twice");
  image.args.push_back(argument("between", ArgRole::Temp, {4, 8}));
  image.launches.push_back(image.launches.front());
  image.launches.back().symbol = "twice_1";
  Loaded library({image});
  HostTensor x({4, 8}), y({4, 8}, 1), out({4, 8});
  ASSERT_EQ(library.call(x, y, out), 0) << library.error();
  EXPECT_EQ(out.values[31], 2 * (31 + 32));
}

TEST(SharedLibrary, PassesScalarsInTheirOwnType) {
  artifact::KernelImage image = rowKernel("scale");
  image.args = {argument("a", ArgRole::Scalar, {}), argument("n", ArgRole::Scalar, {}, "i32"),
                argument("x", ArgRole::InOut, {4, 8})};
  Loaded library({image});
  HostTensor x({4, 8});
  ASSERT_EQ((library.entry<int(double, int64_t, DLTensor *, void *)>()(0.5, 3, x, nullptr)), 0) << library.error();
  EXPECT_EQ(x.values[10], 15);
}

TEST(SharedLibrary, ChoosesTheImageByShape) {
  // Both images call their function add_0.
  Loaded library({rowKernel("add", 4), rowKernel("add", 2)});
  for (int64_t rows : {2, 4}) {
    HostTensor x({rows, 8}), y({rows, 8}, 1), out({rows, 8});
    ASSERT_EQ(library.call(x, y, out), 0) << library.error();
    EXPECT_EQ(out.values.back(), 2 * float(rows * 8 - 1) + 1);
  }
  HostTensor x({3, 8}), y({3, 8}), out({3, 8});
  EXPECT_EQ(library.call(x, y, out), 1);
  EXPECT_EQ(library.error(), "add: the shapes fit none that this library was built for: x[4, 8] y[4, 8] out[4, 8]; "
                             "x[2, 8] y[2, 8] out[2, 8]");
}

TEST(SharedLibrary, SaysThatTheCodeIsForAGpu) {
  artifact::KernelImage image = rowKernel("add");
  image.target = "sm_90a";
  image.code = "not a cubin";
  Loaded library({image});
  HostTensor x({4, 8}), y({4, 8}), out({4, 8});
  EXPECT_EQ(library.call(x, y, out), 2);
  EXPECT_EQ(library.error(), "add: this library holds code for sm_90a only, but the tensors are in host memory");
}

TEST(SharedLibrary, AnEmptyGridLaunchesNothing) {
  Loaded library({rowKernel("crash", 0)});
  HostTensor x({0, 8}), y({0, 8}), out({0, 8});
  EXPECT_EQ(library.call(x, y, out), 0) << library.error();
}

TEST(SharedLibrary, ServesSeveralThreadsAtATime) {
  Loaded library({rowKernel("add")});
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      HostTensor x({4, 8}, float(number)), y({4, 8}), out({4, 8});
      for (int i = 0; i < 500; ++i) {
        std::fill(out.values.begin(), out.values.end(), 0);
        ASSERT_EQ(library.call(x, y, out), 0);
        ASSERT_EQ(out.values[31], 62 + number);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(SharedLibrary, ThreadsThatEndLeaveNothing) {
  Loaded library({rowKernel("add")});
  for (int i = 0; i < 100; ++i)
    std::thread([&] {
      HostTensor x({4, 8}), y({4, 8}), out({4, 8});
      ASSERT_EQ(library.call(x, y, out), 0);
    }).join();
}

TEST(SharedLibrary, WorksInAChildOfAFork) {
  Loaded library({rowKernel("add")});
  HostTensor x({4, 8}), y({4, 8}), out({4, 8});
  ASSERT_EQ(library.call(x, y, out), 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // a child that hangs dies of it
    _exit(library.call(x, y, out) == 0 && out.values[31] == 62 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(SharedLibrary, ItsThreadsEndWithIt) {
  auto threads = [] {
    std::error_code code;
    int count = 0;
    for (llvm::sys::fs::directory_iterator it("/proc/self/task", code), end; it != end; it.increment(code))
      ++count;
    return count;
  };
  setenv("HELIONC_NUM_THREADS", "4", 1);
  int before = threads();
  {
    Loaded library({rowKernel("add")});
    HostTensor x({4, 8}), y({4, 8}), out({4, 8});
    before = threads(); // the linker has threads too
    ASSERT_EQ(library.call(x, y, out), 0);
    EXPECT_EQ(threads(), before + 3);
  }
  unsetenv("HELIONC_NUM_THREADS");
  EXPECT_LE(threads(), before);
}

TEST(SharedLibrary, ReportsWhatTheLinkerSays) {
  artifact::KernelImage image = rowKernel("add");
  image.launches.front().symbol = "missing_0";
  support::TempDirectory folder;
  image.code = "not an object";
  std::string text = llvm::toString(artifact::writeSharedLibrary({image}, folder.path() + "/a.so"));
  EXPECT_NE(text.find("/a.so' failed: "), std::string::npos) << text;
  EXPECT_FALSE(llvm::sys::fs::exists(folder.path() + "/a.so"));
  EXPECT_EQ(llvm::toString(artifact::writeSharedLibrary({}, folder.path() + "/a.so")),
            "a library needs at least one image");
}

TEST(SharedLibrary, WritesObjectsToo) {
  support::TempDirectory folder;
  std::string path = folder.path() + "/add.o";
  llvm::Error error = artifact::writeObject({rowKernel("add")}, path);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  ASSERT_TRUE(bool(file));
  EXPECT_TRUE(file->getBinary()->isRelocatableObject());
}

TEST_F(BadArgument, NullTensor) { EXPECT_EQ(errorOf(x, nullptr, out), "add: argument 'y' is NULL"); }
TEST_F(BadArgument, NullData) {
  y.tensor.data = nullptr;
  EXPECT_EQ(errorOfCall(), "add: the data of argument 'y' is NULL");
}
TEST_F(BadArgument, NullShape) {
  x.tensor.shape = nullptr;
  EXPECT_EQ(errorOfCall(), "add: the shape of argument 'x' is NULL");
}
TEST_F(BadArgument, Rank) {
  x.tensor.ndim = 1;
  EXPECT_EQ(errorOfCall(), "add: argument 'x' has 1 dims, expected 2");
}
TEST_F(BadArgument, DType) {
  y.tensor.dtype = {kDLBfloat, 16, 1};
  EXPECT_EQ(errorOfCall(), "add: argument 'y' is bf16, expected f32");
}
TEST_F(BadArgument, Shape) {
  y.shape = {8, 4};
  EXPECT_EQ(errorOfCall(), "add: argument 'y' has shape [8, 4], expected [4, 8]");
}
TEST_F(BadArgument, Strides) {
  int64_t strides[] = {1, 4};
  x.tensor.strides = strides;
  EXPECT_EQ(errorOfCall(), "add: argument 'x' has strides [1, 4], expected [8, 1]");
}
TEST_F(BadArgument, Device) {
  y.tensor.device = {kDLCUDA, 0};
  EXPECT_EQ(errorOfCall(), "add: argument 'y' is on a GPU, but the first tensor is in host memory");
}
TEST_F(BadArgument, Alignment) {
  x.tensor.byte_offset = 2;
  EXPECT_EQ(errorOfCall(), "add: the data of argument 'x' is not aligned to 4 bytes");
}
TEST_F(BadArgument, OutputOverInput) { EXPECT_EQ(errorOf(x, y, y), "add: the output 'out' shares memory with 'y'"); }
TEST_F(BadArgument, Count) {
  void *arguments[] = {static_cast<DLTensor *>(x)};
  EXPECT_EQ((library.entry<int(void **, int64_t, void *)>("_invoke")(arguments, 1, nullptr)), 1);
  EXPECT_EQ(library.error(), "add: 1 arguments, expected 3");
}
TEST_F(BadArgument, ErrorsAreOfTheThread) {
  EXPECT_EQ(errorOf(x, nullptr, out), "add: argument 'y' is NULL");
  std::thread([&] { EXPECT_EQ(library.error(), ""); }).join();
}
TEST_F(BadArgument, ByteOffsetIsApplied) {
  HostTensor wide({5, 8});
  wide.shape = {4, 8};
  wide.tensor.byte_offset = 32;
  ASSERT_EQ(library.call(wide, y, out), 0) << library.error();
  EXPECT_EQ(out.values[0], 108);
}

TEST(HeaderWriter, DeclaresTheEntries) {
  artifact::KernelImage image = rowKernel("add");
  image.args.insert(image.args.begin(), argument("alpha", ArgRole::Scalar, {}));
  std::string text = artifact::headerText({image});
  for (const char *part :
       {"int helion_add(double alpha, const DLTensor *x, const DLTensor *y, DLTensor *out, void *stream);",
        "int helion_add_outputs(double alpha, const DLTensor *x, const DLTensor *y, DLTensor *outputs",
        "#ifndef DLPACK_DLPACK_H_", "x f32[4, 8]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

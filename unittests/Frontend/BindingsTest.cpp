//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of argument bindings.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/Bindings.h"

#include "gtest/gtest.h"

using namespace helionc::frontend;

namespace {

std::string errorOf(llvm::StringRef text) {
  auto binding = parseArgBinding(text);
  return binding ? "" : llvm::toString(binding.takeError());
}

TEST(Bindings, Tensors) {
  auto binding = parseArgBinding("torch.float16[128, 64]:strides(1,128)");
  ASSERT_TRUE(bool(binding));
  auto *tensor = std::get_if<TensorBinding>(&*binding);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->dtype, "f16");
  EXPECT_EQ(tensor->shape, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(tensor->strides, (std::vector<int64_t>{1, 128}));
}

TEST(Bindings, Scalars) {
  EXPECT_EQ(std::get<int64_t>(*parseArgBinding("-3")), -3);
  EXPECT_EQ(std::get<double>(*parseArgBinding("0.5")), 0.5);
  EXPECT_EQ(std::get<bool>(*parseArgBinding("true")), true);
  EXPECT_EQ(std::get<std::string>(*parseArgBinding("'gelu'")), "gelu");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*parseArgBinding("none")));
}

TEST(Bindings, Errors) {
  EXPECT_NE(errorOf("bf61[4]").find("did you mean 'bf16'?"), std::string::npos);
  EXPECT_NE(errorOf("bf16[4,x]").find("is not a tensor"), std::string::npos);
  EXPECT_NE(errorOf("bf16[-4]").find("is not a tensor"), std::string::npos);
  EXPECT_NE(errorOf("bf16[4").find("is not a tensor"), std::string::npos);
  EXPECT_NE(errorOf("bf16[4]:strides(1,2)").find("1 sizes and 2 strides"), std::string::npos);
  EXPECT_NE(errorOf("bf16[4]junk").find("has text after its sizes"), std::string::npos);
  EXPECT_NE(errorOf("junk").find("neither a tensor"), std::string::npos);
}

} // namespace

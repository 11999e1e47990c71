//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Types of the hl dialect: text form and verification.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helionc::hl;

#define GET_TYPEDEF_CLASSES
#include "helionc/Dialect/HL/HLTypes.cpp.inc"

void HLDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "helionc/Dialect/HL/HLTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Dims: integers and parameter names
//===----------------------------------------------------------------------===//

static ParseResult parseDim(AsmParser &parser, Attribute &dim) {
  int64_t value;
  OptionalParseResult integer = parser.parseOptionalInteger(value);
  if (integer.has_value()) {
    if (failed(*integer))
      return failure();
    dim = parser.getBuilder().getI64IntegerAttr(value);
    return success();
  }
  StringAttr name;
  if (failed(parser.parseSymbolName(name)))
    return failure();
  dim = FlatSymbolRefAttr::get(name);
  return success();
}

static void printDim(AsmPrinter &printer, Attribute dim) {
  if (auto integer = dyn_cast<IntegerAttr>(dim))
    printer << integer.getInt();
  else
    printer << dim;
}

static LogicalResult verifyDim(llvm::function_ref<InFlightDiagnostic()> emitError, Attribute dim) {
  if (isa<FlatSymbolRefAttr>(dim))
    return success();
  auto integer = dyn_cast<IntegerAttr>(dim);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return emitError() << "a dim must be an i64 integer or the name of a parameter, not " << dim;
  if (integer.getInt() <= 0)
    return emitError() << "a dim must be positive, not " << integer.getInt();
  return success();
}

//===----------------------------------------------------------------------===//
// TensorType
//===----------------------------------------------------------------------===//

SmallVector<int64_t> helionc::hl::TensorType::contiguousStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * std::max<int64_t>(shape[i + 1], 1);
  return strides;
}

helionc::hl::TensorType helionc::hl::TensorType::contiguous(ArrayRef<int64_t> shape, Type elementType) {
  return helionc::hl::TensorType::get(elementType.getContext(), shape, elementType, contiguousStrides(shape));
}

bool helionc::hl::TensorType::isContiguous() const {
  return getStrides() == ArrayRef<int64_t>(contiguousStrides(getShape()));
}

int64_t helionc::hl::TensorType::getNumElements() const {
  int64_t count = 1;
  for (int64_t dim : getShape())
    count *= dim;
  return count;
}

static ParseResult parseIntOrQuestion(AsmParser &parser, int64_t &value) {
  if (succeeded(parser.parseOptionalQuestion())) {
    value = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(value);
}

static ParseResult parseIntList(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult { return parseIntOrQuestion(parser, values.emplace_back()); });
}

static void printIntList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer, [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      printer << '?';
    else
      printer << value;
  });
  printer << ']';
}

Type helionc::hl::TensorType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  if (parser.parseLess() || parseIntList(parser, shape) || parser.parseComma() || parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("strides") || parseIntList(parser, strides))
      return {};
  } else {
    strides = contiguousStrides(shape);
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorType>(parser.getContext(), shape, elementType, strides);
}

void helionc::hl::TensorType::print(AsmPrinter &printer) const {
  printer << '<';
  printIntList(printer, getShape());
  printer << ", " << getElementType();
  if (!isContiguous()) {
    printer << ", strides ";
    printIntList(printer, getStrides());
  }
  printer << '>';
}

LogicalResult helionc::hl::TensorType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                              ArrayRef<int64_t> shape, Type elementType, ArrayRef<int64_t> strides) {
  if (shape.size() != strides.size())
    return emitError() << "a tensor of rank " << shape.size() << " has " << strides.size() << " strides";
  for (int64_t dim : shape)
    if (dim < 0 && !ShapedType::isDynamic(dim))
      return emitError() << "a tensor's dim must not be negative, but is " << dim;
  if (!elementType.isIntOrFloat())
    return emitError() << "a tensor's element type must be an integer or a float, not " << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// TileType
//===----------------------------------------------------------------------===//

bool TileType::isConcrete() const { return llvm::all_of(getDims(), llvm::IsaPred<IntegerAttr>); }

SmallVector<int64_t> TileType::getShape() const {
  SmallVector<int64_t> shape;
  for (Attribute dim : getDims())
    shape.push_back(cast<IntegerAttr>(dim).getInt());
  return shape;
}

TileType TileType::withElementType(Type elementType) const { return get(getContext(), getDims(), elementType); }

TileType TileType::withDims(ArrayRef<Attribute> dims) const { return get(getContext(), dims, getElementType()); }

TileType TileType::get(MLIRContext *context, ArrayRef<int64_t> shape, Type elementType) {
  Builder builder(context);
  SmallVector<Attribute> dims;
  for (int64_t dim : shape)
    dims.push_back(builder.getI64IntegerAttr(dim));
  return get(context, dims, elementType);
}

Type TileType::parse(AsmParser &parser) {
  SmallVector<Attribute> dims;
  Type elementType;
  auto parseOne = [&]() -> ParseResult { return parseDim(parser, dims.emplace_back()); };
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) ||
      parser.parseComma() || parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<TileType>(parser.getContext(), dims, elementType);
}

void TileType::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer, [&](Attribute dim) { printDim(printer, dim); });
  printer << "], " << getElementType() << '>';
}

LogicalResult TileType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<Attribute> dims,
                               Type elementType) {
  for (Attribute dim : dims)
    if (failed(verifyDim(emitError, dim)))
      return failure();
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "a tile's element type must be an integer, an index or a float, not " << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// SpanType
//===----------------------------------------------------------------------===//

Type SpanType::parse(AsmParser &parser) {
  Attribute extent;
  if (parser.parseLess() || parseDim(parser, extent) || parser.parseGreater())
    return {};
  return parser.getChecked<SpanType>(parser.getContext(), extent);
}

void SpanType::print(AsmPrinter &printer) const {
  printer << '<';
  printDim(printer, getExtent());
  printer << '>';
}

LogicalResult SpanType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Attribute extent) {
  return verifyDim(emitError, extent);
}

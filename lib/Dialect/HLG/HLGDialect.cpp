//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The hlg dialect.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HLG/HLG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helionc::hlg;

#include "helionc/Dialect/HLG/HLGDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "helionc/Dialect/HLG/HLGAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "helionc/Dialect/HLG/HLGTypes.cpp.inc"
#define GET_OP_CLASSES
#include "helionc/Dialect/HLG/HLGOps.cpp.inc"

void HLGDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "helionc/Dialect/HLG/HLGAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "helionc/Dialect/HLG/HLGTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "helionc/Dialect/HLG/HLGOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

static std::vector<helionc::hlg::Index> split(ArrayRef<int64_t> flat, int64_t rank) {
  std::vector<helionc::hlg::Index> bases;
  for (size_t at = 0; rank > 0 && at + rank <= flat.size(); at += rank)
    bases.emplace_back(flat.begin() + at, flat.begin() + at + rank);
  return bases;
}

Layout helionc::hlg::toLayout(LayoutAttr attribute) {
  Layout layout;
  layout.rank = attribute.getRank();
  layout.repeat = attribute.getRepeat().vec();
  if (layout.rank == 0) { // Bits of a scalar carry no vectors; the count of lanes and warps is kept by their number.
    layout.reg.resize(attribute.getReg().size());
    layout.lane.resize(attribute.getLane().size());
    layout.warp.resize(attribute.getWarp().size());
    return layout;
  }
  layout.reg = split(attribute.getReg(), layout.rank);
  layout.lane = split(attribute.getLane(), layout.rank);
  layout.warp = split(attribute.getWarp(), layout.rank);
  return layout;
}

LayoutAttr helionc::hlg::toAttribute(MLIRContext *context, const Layout &layout) {
  auto flatten = [&](const std::vector<helionc::hlg::Index> &bases) {
    SmallVector<int64_t> flat;
    for (const helionc::hlg::Index &basis : bases)
      flat.append(basis.begin(), basis.end());
    if (layout.rank == 0)
      flat.assign(bases.size(), 0);
    return flat;
  };
  return LayoutAttr::get(context, layout.rank, flatten(layout.reg), flatten(layout.lane), flatten(layout.warp),
                         layout.repeat);
}

static void printBases(AsmPrinter &printer, ArrayRef<int64_t> flat, int64_t rank) {
  printer << '[';
  for (size_t i = 0; i < flat.size(); ++i) {
    int64_t place = rank ? int64_t(i) % rank : 0;
    printer << (i ? ", " : "") << (place == 0 ? "[" : "");
    if (rank)
      printer << flat[i];
    if (rank == 0 || place == rank - 1)
      printer << ']';
  }
  printer << ']';
}

static ParseResult parseBases(AsmParser &parser, SmallVectorImpl<int64_t> &flat, int64_t rank) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    size_t before = flat.size();
    auto number = [&]() -> ParseResult { return parser.parseInteger(flat.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, number))
      return failure();
    if (int64_t(flat.size() - before) != rank)
      return parser.emitError(parser.getCurrentLocation())
             << "C1: a basis vector of " << flat.size() - before << " numbers in a layout of rank " << rank;
    if (rank == 0)
      flat.push_back(0);
    return success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  int64_t rank;
  SmallVector<int64_t> reg, lane, warp, repeat;
  auto number = [&]() -> ParseResult { return parser.parseInteger(repeat.emplace_back()); };
  if (parser.parseLess() || parser.parseKeyword("rank") || parser.parseInteger(rank) || parser.parseComma() ||
      parser.parseKeyword("reg") || parseBases(parser, reg, rank) || parser.parseComma() ||
      parser.parseKeyword("lane") || parseBases(parser, lane, rank) || parser.parseComma() ||
      parser.parseKeyword("warp") || parseBases(parser, warp, rank) || parser.parseComma() ||
      parser.parseKeyword("repeat") || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, number) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(parser.getContext(), rank, reg, lane, warp, repeat);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<rank " << getRank() << ", reg ";
  printBases(printer, getReg(), getRank());
  printer << ", lane ";
  printBases(printer, getLane(), getRank());
  printer << ", warp ";
  printBases(printer, getWarp(), getRank());
  printer << ", repeat [";
  llvm::interleaveComma(getRepeat(), printer);
  printer << "]>";
}

LogicalResult LayoutAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t rank,
                                 ArrayRef<int64_t> reg, ArrayRef<int64_t> lane, ArrayRef<int64_t> warp,
                                 ArrayRef<int64_t> repeat) {
  if (rank < 0 || int64_t(repeat.size()) != rank)
    return emitError() << "C1: repeat has " << repeat.size() << " numbers in a layout of rank " << rank;
  for (ArrayRef<int64_t> bases : {reg, lane, warp})
    if (rank > 0 && int64_t(bases.size()) % rank)
      return emitError() << "C1: a basis vector without " << rank << " numbers";
  for (int64_t times : repeat)
    if (times < 1)
      return emitError() << "C1: repeat must be at least 1";
  return success();
}

//===----------------------------------------------------------------------===//
// RegType
//===----------------------------------------------------------------------===//

Type RegType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  LayoutAttr layout;
  auto number = [&]() -> ParseResult { return parser.parseInteger(shape.emplace_back()); };
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, number) ||
      parser.parseComma() || parser.parseType(element) || parser.parseComma() || parser.parseAttribute(layout) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<RegType>(parser.getContext(), shape, element, layout);
}

void RegType::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getShape(), printer);
  printer << "], " << getElementType() << ", " << getLayout() << '>';
}

LogicalResult RegType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type,
                              LayoutAttr layout) {
  if (layout.getRank() != int64_t(shape.size()))
    return emitError() << "C1: a layout of rank " << layout.getRank() << " for a shape of rank " << shape.size();
  if (!toLayout(layout).covers(shape))
    return emitError() << "C1: the layout does not cover the shape";
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccess(Operation *op, RegType tile, size_t limits, size_t strides) {
  if (limits != tile.getShape().size() || strides != tile.getShape().size())
    return op->emitOpError() << "C1: " << limits << " limits and " << strides << " strides for a tile of rank "
                             << tile.getShape().size();
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getResult().getType(), getLimits().size(), getStrides().size());
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getValue().getType(), getLimits().size(), getStrides().size());
}

LogicalResult MapOp::verify() {
  RegType result = getResult().getType();
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "needs a block argument for each input";
  for (auto [input, argument] : llvm::zip(getInputs(), body.getArguments())) {
    auto type = cast<RegType>(input.getType());
    if (type.getShape() != result.getShape() || type.getLayout() != result.getLayout())
      return emitOpError() << "C1: an input of another shape or layout than the result";
    if (argument.getType() != type.getElementType())
      return emitOpError() << "a block argument of type " << argument.getType() << " for an input of " << type;
  }
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValue().getType() != result.getElementType())
    return emitOpError() << "C2: must yield a value of type " << result.getElementType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  RegType source = getSource().getType(), result = getResult().getType();
  if (source.getShape().size() != result.getShape().size())
    return emitOpError() << "C1: another rank";
  Layout expected = toLayout(result.getLayout());
  for (auto [dim, from, to] : llvm::enumerate(source.getShape(), result.getShape()))
    if (from != to)
      expected = expected.flatten(dim);
  if (!(expected == toLayout(source.getLayout())))
    return emitOpError() << "C1: the source's layout is not the result's without the repeated dims";
  return success();
}

LogicalResult ViewOp::verify() {
  Layout source = toLayout(getSource().getType().getLayout()), result = toLayout(getResult().getType().getLayout());
  if (source.registerCount() != result.registerCount())
    return emitOpError() << "C1: another number of registers";
  if (!getOrder())
    return success();
  SmallVector<bool> seen(source.rank);
  for (int64_t dim : *getOrder()) {
    if (dim < 0 || dim >= source.rank || seen[dim])
      return emitOpError() << "C2: order is not a permutation of the source's dims";
    seen[dim] = true;
  }
  if (int64_t(getOrder()->size()) != source.rank || !(source.permute(*getOrder()) == result))
    return emitOpError() << "C2: the result's layout is not the source's in that order";
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  RegType source = getSource().getType(), result = getResult().getType();
  if (source.getShape() != result.getShape() || source.getElementType() != result.getElementType())
    return emitOpError() << "C1: another shape or element type";
  return success();
}

LogicalResult ReduceOp::verify() {
  RegType source = getSource().getType(), result = getResult().getType();
  SmallVector<int64_t> shape(source.getShape());
  if (getDim() < 0 || getDim() >= int64_t(shape.size()))
    return emitOpError() << "dim " << getDim() << " of a tile of rank " << shape.size();
  shape.erase(shape.begin() + getDim());
  if (ArrayRef<int64_t>(shape) != result.getShape() ||
      !(toLayout(source.getLayout()).drop(getDim()) == toLayout(result.getLayout())))
    return emitOpError() << "C1: the result must have the other dims and the source's layout without dim " << getDim();
  return success();
}

LogicalResult DotOp::verify() {
  if (getAcc().getType() != getResult().getType())
    return emitOpError() << "C1: acc and result differ in type";
  return success();
}

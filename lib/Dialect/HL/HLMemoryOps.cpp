//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Views, loads and stores of the hl dialect.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace helionc::hl;
using HLTensorType = helionc::hl::TensorType;

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

/// One past the largest element offset that a static tensor reaches, 0 when it is empty; nothing when a stride is
/// negative or a dim dynamic.
static std::optional<int64_t> reach(HLTensorType type) {
  int64_t last = 0;
  for (auto [dim, stride] : llvm::zip(type.getShape(), type.getStrides())) {
    if (ShapedType::isDynamic(dim) || ShapedType::isDynamic(stride) || stride < 0)
      return std::nullopt;
    if (dim == 0)
      return 0;
    last += (dim - 1) * stride;
  }
  return last + 1;
}

LogicalResult ViewOp::verify() {
  HLTensorType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError() << "C1: element types " << source.getElementType() << " and " << result.getElementType()
                         << " differ";
  std::optional<int64_t> have = reach(source), need = reach(result);
  if (have && need && *need > 0 && (getOffset() < 0 || getOffset() + *need > *have))
    return emitOpError() << "C2: the view reaches element " << getOffset() + *need << " of a source that ends at "
                         << *have;
  return success();
}

//===----------------------------------------------------------------------===//
// Indexing shared by LoadOp and StoreOp: [%span, %i, :, %tile]
//===----------------------------------------------------------------------===//

namespace {
struct Indexing {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<bool> isFull;
};
} // namespace

static ParseResult parseIndexing(OpAsmParser &parser, Indexing &indexing) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    bool full = succeeded(parser.parseOptionalColon());
    indexing.isFull.push_back(full);
    return full ? ParseResult(success()) : parser.parseOperand(indexing.operands.emplace_back());
  });
}

static void printIndexing(OpAsmPrinter &printer, ValueRange indices, ArrayRef<int32_t> kinds) {
  printer << '[';
  auto next = indices.begin();
  llvm::interleaveComma(kinds, printer, [&](int32_t kind) {
    if (IndexKind(kind) == IndexKind::Full)
      printer << ':';
    else
      printer << *next++;
  });
  printer << ']';
}

/// The kind of each index follows from its type.
static SmallVector<int32_t> kindsOf(const Indexing &indexing, TypeRange types) {
  SmallVector<int32_t> kinds;
  unsigned next = 0;
  for (bool full : indexing.isFull) {
    IndexKind kind = IndexKind::Full;
    if (!full) {
      Type type = types[next++];
      kind = isa<SpanType>(type) ? IndexKind::Span : isa<TileType>(type) ? IndexKind::Gather : IndexKind::Scalar;
    }
    kinds.push_back(static_cast<int32_t>(kind));
  }
  return kinds;
}

/// The type of the tile that indexing `tensor` gives, or an error at `op`.
static FailureOr<TileType> inferIndexedType(Operation *op, HLTensorType tensor, ValueRange indices,
                                            ArrayRef<int32_t> kinds) {
  if (int64_t(kinds.size()) != tensor.getRank())
    return op->emitOpError() << "C1: " << kinds.size() << " indices for a tensor of rank " << tensor.getRank();
  unsigned operands = llvm::count_if(kinds, [](int32_t kind) { return IndexKind(kind) != IndexKind::Full; });
  if (operands != indices.size())
    return op->emitOpError() << "C2: the kinds take " << operands << " operands, not " << indices.size();
  Builder builder(op->getContext());
  SmallVector<Attribute> dims;
  TileType gather;
  auto next = indices.begin();
  for (auto [dim, kind] : llvm::enumerate(kinds)) {
    Type type = IndexKind(kind) == IndexKind::Full ? Type() : (*next++).getType();
    switch (IndexKind(kind)) {
    case IndexKind::Full:
      if (tensor.getShape()[dim] <= 0)
        return op->emitOpError() << "C2: ':' needs a static dim that is not empty";
      dims.push_back(builder.getI64IntegerAttr(tensor.getShape()[dim]));
      break;
    case IndexKind::Span:
      if (!isa<SpanType>(type))
        return op->emitOpError() << "C2: index " << dim << " must be a span, not " << type;
      dims.push_back(cast<SpanType>(type).getExtent());
      break;
    case IndexKind::Scalar:
      if (!type.isIndex())
        return op->emitOpError() << "C2: index " << dim << " must be of type index, not " << type;
      break;
    case IndexKind::Gather: {
      auto tile = dyn_cast<TileType>(type);
      if (!tile || !tile.getElementType().isIntOrIndex())
        return op->emitOpError() << "C2: index " << dim << " must be a tile of integers, not " << type;
      if (gather && gather.getDims() != tile.getDims())
        return op->emitOpError() << "C2: gather tiles of different shapes";
      if (!gather)
        llvm::append_range(dims, tile.getDims());
      gather = tile;
      break;
    }
    }
  }
  return TileType::get(op->getContext(), dims, tensor.getElementType());
}

static LogicalResult verifyAccess(Operation *op, HLTensorType tensor, ValueRange indices, ArrayRef<int32_t> kinds,
                                  TileType value, TypedValue<TileType> mask) {
  FailureOr<TileType> expected = inferIndexedType(op, tensor, indices, kinds);
  if (failed(expected))
    return failure();
  if (*expected != value)
    return op->emitOpError() << "C3: the indices give " << *expected << ", not " << value;
  if (mask && mask.getType() != value.withElementType(IntegerType::get(op->getContext(), 1)))
    return op->emitOpError() << "the mask must be an i1 tile of the value's shape, not " << mask.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source, mask;
  Indexing indexing;
  SmallVector<Type> types;
  Type resultType;
  if (parser.parseOperand(source) || parseIndexing(parser, indexing))
    return failure();
  bool masked = succeeded(parser.parseOptionalKeyword("mask"));
  if ((masked && parser.parseOperand(mask)) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types) || parser.parseArrow() || parser.parseType(resultType))
    return failure();
  if (types.size() != 1 + indexing.operands.size() + masked)
    return parser.emitError(parser.getNameLoc()) << "expected a type for the tensor and each operand";
  TypeRange indexTypes = TypeRange(types).slice(1, indexing.operands.size());
  if (parser.resolveOperand(source, types[0], result.operands) ||
      parser.resolveOperands(indexing.operands, indexTypes, parser.getNameLoc(), result.operands) ||
      (masked && parser.resolveOperand(mask, types.back(), result.operands)))
    return failure();
  Builder &builder = parser.getBuilder();
  result.addAttribute(getKindsAttrName(result.name), builder.getDenseI32ArrayAttr(kindsOf(indexing, indexTypes)));
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      builder.getDenseI32ArrayAttr({1, int32_t(indexing.operands.size()), int32_t(masked)}));
  result.addTypes(resultType);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource();
  printIndexing(printer, getIndices(), getKinds());
  if (getMask())
    printer << " mask " << getMask();
  printer.printOptionalAttrDict((*this)->getAttrs(), {getKindsAttrName(), getOperandSegmentSizesAttrName()});
  printer << " : " << getOperandTypes() << " -> " << getResult().getType();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getSource().getType(), getIndices(), getKinds(), getResult().getType(), getMask());
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable(), SideEffects::DefaultResource::get());
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, dest, mask;
  Indexing indexing;
  SmallVector<Type> types;
  if (parser.parseOperand(value) || parser.parseComma() || parser.parseOperand(dest) || parseIndexing(parser, indexing))
    return failure();
  bool masked = succeeded(parser.parseOptionalKeyword("mask"));
  if ((masked && parser.parseOperand(mask)) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types))
    return failure();
  if (types.size() != 2 + indexing.operands.size() + masked)
    return parser.emitError(parser.getNameLoc()) << "expected a type for the value, the tensor and each operand";
  TypeRange indexTypes = TypeRange(types).slice(2, indexing.operands.size());
  if (parser.resolveOperand(value, types[0], result.operands) ||
      parser.resolveOperand(dest, types[1], result.operands) ||
      parser.resolveOperands(indexing.operands, indexTypes, parser.getNameLoc(), result.operands) ||
      (masked && parser.resolveOperand(mask, types.back(), result.operands)))
    return failure();
  Builder &builder = parser.getBuilder();
  result.addAttribute(getKindsAttrName(result.name), builder.getDenseI32ArrayAttr(kindsOf(indexing, indexTypes)));
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      builder.getDenseI32ArrayAttr({1, 1, int32_t(indexing.operands.size()), int32_t(masked)}));
  return success();
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << ", " << getDest();
  printIndexing(printer, getIndices(), getKinds());
  if (getMask())
    printer << " mask " << getMask();
  printer.printOptionalAttrDict((*this)->getAttrs(), {getKindsAttrName(), getOperandSegmentSizesAttrName()});
  printer << " : " << getOperandTypes();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getDest().getType(), getIndices(), getKinds(), getValue().getType(), getMask());
}

void StoreOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable(), SideEffects::DefaultResource::get());
}

//===- The hl dialect: tile programs with symbolic tuning parameters -------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HL_DIALECT
#define HELIONC_DIALECT_HL_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def HL_Dialect : Dialect {
  let name = "hl";
  let summary = "tile programs whose tile sizes are symbolic tuning parameters";
  let description = [{
    One `hl.kernel` per kernel. Values are tensors (arguments in memory), tiles (blocks of elements, with value
    semantics), spans (a block of consecutive indices made by a loop) and scalars (builtin types).

    The extent of a tile is an integer or the name of an `hl.param`, so one module stands for every configuration of
    the tuning space. `--hl-instantiate-config` replaces the names by integers.

    **Padding.** A span may reach past the end of what it walks over (the last tile of a loop). A tile has elements
    there all the same: *padding*. `hl.load` gives 0 in the padding and `hl.store` writes nothing there. What other
    operations leave there is unspecified; `--hl-resolve-padding` inserts `hl.fill_padding` before each `hl.reduce`
    and `hl.dot` whose operand is not known to hold the neutral element there. Before that pass the padding does not
    count (reductions and dots are defined over the real elements only); after it, they count every element.
  }];
  let cppNamespace = "::helionc::hl";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
}

class HL_Type<string name, string typeMnemonic> : TypeDef<HL_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def HL_TensorType : HL_Type<"Tensor", "tensor"> {
  let summary = "a tensor in memory: shape, element type, strides";
  let description = [{
    `shape` and `strides` count elements. Strides are omitted in the text when they are row-major.
    A dim of `?` (`ShapedType::kDynamic`) is known at run time only.

    Example: `!hl.tensor<[128, 64], bf16>`, `!hl.tensor<[128, 64], f16, strides [1, 128]>`.

    - C1: as many strides as dims. C2: dims are not negative. C3: the element type is an integer or a float.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// Row-major strides, in elements, of a contiguous tensor of this shape.
    static ::llvm::SmallVector<int64_t> contiguousStrides(::llvm::ArrayRef<int64_t> shape);
    /// A row-major tensor.
    static TensorType contiguous(::llvm::ArrayRef<int64_t> shape, ::mlir::Type elementType);
    bool isContiguous() const;
    /// The number of elements; the shape must be static.
    int64_t getNumElements() const;
  }];
}

def HL_TileType : HL_Type<"Tile", "tile"> {
  let summary = "a block of elements with value semantics";
  let description = [{
    Each dim is an integer or the name of a parameter of the enclosing kernel.

    Example: `!hl.tile<[@block_sizes.0, 64], f32>`; a tile of rank 0 is `!hl.tile<[], f32>`.

    - C1: a dim is a positive `i64` integer attribute or a flat symbol reference. C2: the element type is an integer,
      an index or a float.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$dims, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDims().size(); }
    /// True when every dim is an integer.
    bool isConcrete() const;
    /// The dims as integers; the tile must be concrete.
    ::llvm::SmallVector<int64_t> getShape() const;
    /// This tile with another element type.
    TileType withElementType(::mlir::Type elementType) const;
    /// This tile with other dims.
    TileType withDims(::llvm::ArrayRef<::mlir::Attribute> dims) const;
    /// A concrete tile.
    static TileType get(::mlir::MLIRContext *context, ::llvm::ArrayRef<int64_t> shape, ::mlir::Type elementType);
  }];
}

def HL_SpanType : HL_Type<"Span", "span"> {
  let summary = "a block of consecutive indices made by a loop";
  let description = [{
    The induction value of `hl.grid` and `hl.loop`: indices begin, begin + 1, …, begin + extent − 1, of which those
    below the loop's upper bound are real and the rest padding.

    Example: `!hl.span<@block_sizes.0>`, `!hl.span<16>`.
  }];
  let parameters = (ins "::mlir::Attribute":$extent);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def HL_Scalar : AnyTypeOf<[AnySignlessInteger, Index, AnyFloat]>;
def HL_TileOrScalar : AnyTypeOf<[HL_TileType, HL_Scalar]>;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def HL_ParamKind : I32EnumAttr<"ParamKind", "what values a tuning parameter takes", [
    I32EnumAttrCase<"Pow2", 0, "pow2">,
    I32EnumAttrCase<"Int", 1, "int">,
    I32EnumAttrCase<"Enum", 2, "enum">,
    I32EnumAttrCase<"Bool", 3, "bool">,
    I32EnumAttrCase<"Permutation", 4, "permutation">]> {
  let cppNamespace = "::helionc::hl";
  let genSpecializedAttr = 0;
}
def HL_ParamKindAttr : EnumAttr<HL_Dialect, HL_ParamKind, "param_kind">;

def HL_ReduceKind : I32EnumAttr<"ReduceKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"And", 4, "and">,
    I32EnumAttrCase<"Or", 5, "or">,
    I32EnumAttrCase<"Xor", 6, "xor">,
    I32EnumAttrCase<"ArgMax", 7, "argmax">,
    I32EnumAttrCase<"ArgMin", 8, "argmin">]> {
  let cppNamespace = "::helionc::hl";
  let genSpecializedAttr = 0;
}
def HL_ReduceKindAttr : EnumAttr<HL_Dialect, HL_ReduceKind, "reduce_kind">;

def HL_IndexKind : I32EnumAttr<"IndexKind", "how one dim of a tensor is indexed", [
    I32EnumAttrCase<"Span", 0, "span">,
    I32EnumAttrCase<"Scalar", 1, "scalar">,
    I32EnumAttrCase<"Full", 2, "full">,
    I32EnumAttrCase<"Gather", 3, "gather">]> {
  let cppNamespace = "::helionc::hl";
}

#endif

# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Loads libraries that helionc wrote and calls their kernels on NumPy arrays and PyTorch tensors.

    import helionc
    library = helionc.load("libmatmul.so")
    c = library.matmul(a, b)            # outputs are allocated, of the kind of the inputs
    library.matmul(a, b, out=c)         # or given

The kernel of a library built for a GPU takes PyTorch tensors there and runs on PyTorch's current stream.
"""
import ctypes
import json
import os


class HelioncError(RuntimeError):
    """A kernel refused its arguments, or failed; the text is the library's own."""


class _Device(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_DTYPES = {"f16": (2, 16), "bf16": (4, 16), "f32": (2, 32), "f64": (2, 64), "i8": (0, 8), "i16": (0, 16),
           "i32": (0, 32), "i64": (0, 64), "bool": (6, 8)}
_NUMPY = {"f16": "float16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32",
          "i64": "int64", "bool": "bool"}
_TORCH = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
          "i32": "int32", "i64": "int64", "bool": "bool"}


def _is_torch(array):
    return type(array).__module__.split(".")[0] == "torch"


class Argument:
    """One argument as the library describes it: name, role, dtype, shape, strides (in elements)."""

    def __init__(self, described):
        self.name, self.role, self.dtype = described["name"], described["role"], described["dtype"]
        self.shape, self.strides = tuple(described["shape"]), tuple(described["strides"])


def _dtype_of(array, expected):
    if _is_torch(array):
        names = {f"torch.{v}": k for k, v in _TORCH.items()}
        return names.get(str(array.dtype), "f32")
    # NumPy has no bf16: its bits travel as uint16.
    if array.dtype.name == "uint16" and expected == "bf16":
        return "bf16"
    return {v: k for k, v in _NUMPY.items()}.get(array.dtype.name, "?")


def _describe(array, expected):
    if array is None:
        return None
    tensor = _Tensor()
    if _is_torch(array):
        tensor.data = array.data_ptr()
        tensor.device = _Device(2 if array.is_cuda else 1, array.device.index or 0)
        strides = array.stride()
    else:
        tensor.data = array.ctypes.data
        tensor.device = _Device(1, 0)
        strides = [s // array.itemsize for s in array.strides]
    code, bits = _DTYPES.get(_dtype_of(array, expected), (3, 0))
    tensor.dtype = _DataType(code, bits, 1)
    tensor.ndim = len(array.shape)
    rank = max(1, len(array.shape))
    tensor.shape = (ctypes.c_int64 * rank)(*array.shape)
    tensor.strides = (ctypes.c_int64 * rank)(*strides)
    return tensor


class Kernel:
    """A kernel of a library. `arguments` describes the first image; `images` all of them."""

    def __init__(self, library, name):
        self.name = name
        self._invoke = getattr(library, f"helion_{name}_invoke")
        self._invoke.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
        self._error = getattr(library, f"helion_{name}_last_error")
        self._error.restype = ctypes.c_char_p
        describe = getattr(library, f"helion_{name}_describe")
        describe.restype = ctypes.c_char_p
        self.images = json.loads(describe().decode())["images"]
        self.arguments = self._visible(self.images[0])
        self.config = self.images[0].get("config")

    @staticmethod
    def _visible(image):
        return [Argument(a) for a in image["arguments"] if a["role"] != "temp"]

    @property
    def inputs(self):
        return [a for a in self.arguments if a.role != "out"]

    @property
    def outputs(self):
        return [a for a in self.arguments if a.role == "out"]

    def _image_for(self, arrays):
        for image in self.images:
            arguments = self._visible(image)
            inputs = [a for a in arguments if a.role != "out"]
            if len(inputs) == len(arrays) and all(tuple(x.shape) == a.shape for x, a in zip(arrays, inputs)):
                return arguments
        return self.arguments

    def _allocate(self, argument, like):
        if _is_torch(like):
            import torch
            return torch.empty(argument.shape, dtype=getattr(torch, _TORCH[argument.dtype]), device=like.device)
        import numpy
        return numpy.empty(argument.shape, dtype="uint16" if argument.dtype == "bf16" else _NUMPY[argument.dtype])

    def __call__(self, *arrays, out=None, stream=None):
        call, results = self._prepare(arrays, out, stream)
        call()
        return results

    def bind(self, *arrays, out=None, stream=None):
        """A function without arguments that runs the kernel on these arrays, with as little work a call as there can be.
        The arrays must stay; the function returns the outputs."""
        call, results = self._prepare(arrays, out, stream)

        def run():
            call()
            return results
        return run

    def _prepare(self, arrays, out, stream):
        arguments = self._image_for(arrays)
        inputs = [a for a in arguments if a.role != "out"]
        outputs = [a for a in arguments if a.role == "out"]
        if len(arrays) != len(inputs):
            raise HelioncError(f"{self.name} takes {len(inputs)} arguments ({', '.join(a.name for a in inputs)}), "
                               f"not {len(arrays)}")
        made = list(out) if isinstance(out, (list, tuple)) else [out] if out is not None else \
            [self._allocate(a, arrays[0]) for a in outputs]
        given, results, tensors = iter(arrays), iter(made), []
        for argument in arguments:
            array = next(results) if argument.role == "out" else next(given)
            tensors.append(_describe(array, argument.dtype))
        pointers = (ctypes.c_void_p * max(1, len(tensors)))(
            *[ctypes.addressof(t) if t is not None else None for t in tensors])
        if stream is None and arrays and _is_torch(arrays[0]) and arrays[0].is_cuda:
            import torch
            stream = torch.cuda.current_stream(arrays[0].device).cuda_stream
        count, kept = len(tensors), (tensors, arrays, made)

        def call(invoke=self._invoke, pointers=pointers, count=count, stream=stream, kept=kept):
            if invoke(pointers, count, stream):
                raise HelioncError(self._error().decode())
        return call, made[0] if len(made) == 1 else tuple(made)


class Library:
    """A loaded library; its kernels are attributes."""

    def __init__(self, path):
        self._library = ctypes.CDLL(os.path.abspath(path))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            kernel = Kernel(self._library, name)
        except AttributeError:
            raise AttributeError(f"the library has no kernel '{name}'") from None
        setattr(self, name, kernel)
        return kernel


def load(path):
    """Loads a library; OSError when it cannot be."""
    return Library(path)

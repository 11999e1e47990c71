// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
#include "../Transforms/Fold.h"
#include "./Bare.h"
#include <curl/curl.h>
#include <cuda.h>

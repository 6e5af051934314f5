// Four kernels, of which -DWORSE makes three worse in a known way: strided loads, six times the arithmetic with the
// registers for it, and an array that is indexed at run time. `pair_better` and `pair_worse` are profiles of the two.
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#define N (1 << 24)
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WORSE
  long j = ((long)i * 32) % n + (i * 32L / n);
#else
  long j = i;
#endif
  if (i < n) y[i] = 2.0f * x[j];
}
#ifdef WORSE
#define W 48
#else
#define W 8
#endif
__global__ void __launch_bounds__(256) heavy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[W];
#pragma unroll
  for (int k = 0; k < W; k++) a[k] = x[(i + k * 4096) % n];
  for (int r = 0; r < 64; r++) {
#pragma unroll
    for (int k = 0; k < W; k++) a[k] = a[k] * a[(k + 1) % W] + 0.5f;
  }
  float s = 0;
#pragma unroll
  for (int k = 0; k < W; k++) s += a[k];
  y[i] = s;
}
__global__ void table(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#ifdef WORSE
  float t[32];
  for (int k = 0; k < 32; k++) t[k] = x[(i + k) % n];
  for (int k = 0; k < m; k++) s += t[(k * 7 + i) & 31];
#else
  for (int k = 0; k < m; k++) s += x[(i + ((k * 7 + i) & 31)) % n];
#endif
  y[i] = s;
}
__global__ void same(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }
int main() {
  float *x, *y;
  cudaMalloc(&x, N * 4L), cudaMalloc(&y, N * 4L), cudaMemset(x, 0, N * 4L), cudaMemset(y, 0, N * 4L);
  nvtxDomainHandle_t loader = nvtxDomainCreateA("loader");
  nvtxEventAttributes_t fill = {};
  fill.version = NVTX_VERSION, fill.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  fill.messageType = NVTX_MESSAGE_TYPE_ASCII, fill.message.ascii = "fill";
  cudaProfilerStart();
  nvtxRangePushA("outer"), nvtxRangePushA("inner: 1");
  scale<<<N / 256, 256>>>(x, y, N);
  nvtxRangePop(), nvtxDomainRangePushEx(loader, &fill);
  heavy<<<4096, 256>>>(x, y, N);
  nvtxDomainRangePop(loader);
  nvtxRangeId_t started = nvtxRangeStartA("started");
  table<<<1024, 256>>>(x, y, N, 64);
  nvtxRangeEnd(started), nvtxRangePop();
  same<<<1024, 256>>>(y);
  cudaDeviceSynchronize(), cudaProfilerStop();
  return puts("ok") < 0 || cudaGetLastError();
}

/* SPDX-License-Identifier: MIT */
#include "sbpkit/sbp.h"

enum sbp_cpu sbp_cpu_best(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  /* In a static program this may run before the compiler's own constructor has looked. */
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul"))
    return SBP_CPU_AVX2;
#endif
  return SBP_CPU_PORTABLE;
}

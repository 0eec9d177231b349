/* SPDX-License-Identifier: MIT */
#include "sbpkit/sbp.h"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

enum sbp_cpu sbp_cpu_best(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  /* In a static program this may run before the compiler's own constructor has looked. */
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("popcnt"))
    return SBP_CPU_AVX2;
#elif defined(__aarch64__) && defined(__linux__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  /* NEON is a part of the architecture. */
  if ((getauxval(AT_HWCAP) & HWCAP_PMULL) != 0)
    return SBP_CPU_NEON;
#elif defined(__aarch64__) && defined(__APPLE__)
  return SBP_CPU_NEON;
#endif
  return SBP_CPU_PORTABLE;
}

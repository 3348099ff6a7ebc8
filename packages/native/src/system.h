/*
 * System calls without a C library, so that one binary works with every C library.
 * Each returns what the kernel returns: a result, or -errno.
 */
#ifndef SAVEPOINT_SYSTEM_H
#define SAVEPOINT_SYSTEM_H

#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
static inline long syscall4(long call, long a, long b, long c, long d) {
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(call), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
static inline long syscall4(long call, long a, long b, long c, long d) {
  register long x8 __asm__("x8") = call;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}
#else
#error "system calls are not implemented for this processor"
#endif

/* Only for calls that take five arguments. */
static inline long syscall5(long call, long a, long b, long c, long d, long e) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(call), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = call;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
#endif
}

/* As syscall4, retried while a signal interrupts the call. */
static inline long syscall4_retry(long call, long a, long b, long c, long d) {
  long result;
  do {
    result = syscall4(call, a, b, c, d);
  } while (result == -EINTR);
  return result;
}

#define NEAR __attribute__((visibility("hidden")))

/* The compiler may replace loops and assignments with calls of these. */
NEAR void *memcpy(void *to, const void *from, size_t length);
NEAR void *memset(void *to, int byte, size_t length);

#endif

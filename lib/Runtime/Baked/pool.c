/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * A pool of threads that share the programs of a launch by an atomic counter. It is started by the first call that
 * needs it and stays until the library is unloaded. One call uses it at a time; a call that finds it busy runs alone. A
 * child of a fork starts its own. */
#include "baked.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

typedef struct {
  helion_cpu_function function;
  void **args;
  int64_t count, chunk, scratch_bytes, threads;
  _Atomic int64_t next, running;
  _Atomic int out_of_memory;
} job_t;

static pthread_mutex_t use = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static job_t *current;
static int64_t generation, started;
static int stopping;
static pthread_t helpers[MAX_THREADS];
static pid_t owner;
static __thread void *scratch;
static __thread int64_t scratch_size;

/* Frees the scratch memory of a thread that ends. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int has_key;
static void make_key(void) { has_key = !pthread_key_create(&key, free); }

static void *scratch_of(int64_t bytes) {
  if (bytes <= scratch_size)
    return scratch;
  pthread_once(&once, make_key);
  free(scratch);
  scratch_size = (bytes + 4095) / 4096 * 4096;
  scratch = aligned_alloc(64, (size_t)scratch_size);
  if (!scratch)
    scratch_size = 0;
  if (has_key)
    pthread_setspecific(key, scratch);
  return scratch;
}

static void work(job_t *job) {
  void *memory = job->scratch_bytes ? scratch_of(job->scratch_bytes) : NULL;
  if (job->scratch_bytes && !memory) {
    atomic_store(&job->out_of_memory, 1);
    return;
  }
  for (;;) {
    int64_t first = atomic_fetch_add(&job->next, job->chunk);
    if (first >= job->count)
      return;
    int64_t end = first + job->chunk < job->count ? first + job->chunk : job->count;
    for (int64_t program = first; program < end; ++program)
      job->function(job->args, program, memory);
  }
}

static void *helper(void *number) {
  int64_t seen = 0, mine = (int64_t)(intptr_t)number;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (generation == seen && !stopping)
      pthread_cond_wait(&wake, &lock);
    if (stopping)
      break;
    seen = generation;
    job_t *job = current;
    if (!job || mine >= job->threads - 1)
      continue;
    pthread_mutex_unlock(&lock);
    work(job);
    pthread_mutex_lock(&lock);
    if (atomic_fetch_sub(&job->running, 1) == 1)
      pthread_cond_signal(&done);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* When the library is unloaded or the program ends: the helpers must not run code that goes away. A call that is still
 * running at the program's end keeps them. */
static void join_helpers(void) {
  if (owner != getpid() || pthread_mutex_trylock(&use))
    return;
  pthread_mutex_lock(&lock);
  stopping = 1;
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&lock);
  for (int64_t i = 0; i < started; ++i)
    pthread_join(helpers[i], NULL);
  started = 0;
  pthread_mutex_unlock(&use);
}

__attribute__((destructor)) static void stop(void) {
  join_helpers();
  if (has_key)
    pthread_key_delete(key);
  has_key = 0;
  free(scratch);
  scratch = NULL;
  scratch_size = 0;
}

static int64_t available_threads(void) {
  const char *wanted = getenv("HELIONC_NUM_THREADS");
  if (wanted && atoi(wanted) > 0)
    return atoi(wanted);
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
    return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? online : 1;
}

/* Called with `use` held: at least `threads` - 1 helpers, as far as the system gives them. */
static int64_t start_helpers(int64_t threads) {
  if (owner != getpid()) { /* after a fork the helpers are gone, and these may be in any state */
    started = 0;
    owner = getpid();
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  }
  if (started >= threads - 1)
    return threads;
  sigset_t all, before; /* signals are the program's own threads' business */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < threads - 1) {
    if (pthread_create(&helpers[started], NULL, helper, (void *)(intptr_t)started))
      break;
    ++started;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started + 1 < threads ? started + 1 : threads;
}

int helion_rt_parallel(helion_cpu_function function, void **args, int64_t count, int64_t threads,
                       int64_t scratch_bytes) {
  if (count <= 0)
    return HELION_OK;
  int64_t most = available_threads();
  if (threads <= 0 || threads > most)
    threads = most;
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  if (threads > count)
    threads = count;
  job_t job = {.function = function, .args = args, .count = count, .scratch_bytes = scratch_bytes};
  if (threads > 1 && (stopping || pthread_mutex_trylock(&use)))
    threads = 1;
  job.chunk = count / (threads * 8) > 0 ? count / (threads * 8) : 1;
  if (threads <= 1) {
    work(&job);
  } else {
    job.threads = start_helpers(threads);
    atomic_store(&job.running, job.threads - 1);
    pthread_mutex_lock(&lock);
    current = &job;
    ++generation;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
    work(&job);
    pthread_mutex_lock(&lock);
    while (atomic_load(&job.running) > 0)
      pthread_cond_wait(&done, &lock);
    current = NULL;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&use);
  }
  if (atomic_load(&job.out_of_memory))
    return helion_rt_fail(HELION_OUT_OF_MEMORY, "no memory for %lld bytes of scratch a thread",
                          (long long)scratch_bytes);
  return HELION_OK;
}

import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Component } from './component.ts';
import type { Logger } from './log.ts';
import { Loop } from './loop.ts';

export interface IdleMemorySettings {
  readonly log: Logger;
  readonly lookEveryMs?: number;
}

const LOOK_EVERY_MS = 20_000;
/** Of one core, between two looks: what the loops of a process without work take. */
const IDLE_SHARE = 0.1;
/** A collection takes some 100 ms of processor time, so it has to be worth it. */
const MIN_GARBAGE_BYTES = 8 * 1024 * 1024;
/** What a process has in memory more than when it was trimmed: there was work. */
const MIN_GROWTH_BYTES = 16 * 1024 * 1024;
/** One after the other: threads end a minute after their last work, and what they leave does not show as growth. */
const TRIMS_AFTER_WORK = 5;

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** V8 has this function for programs that ask for it; a context made after the flag was set has it, however the process was started. */
const exposeCollect = (): Collect => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
};

/** An extension for SQLite whose entry point is a function of the C library. */
const C_LIBRARY = 'libc.so.6';
const TRIM_FUNCTION = 'malloc_trim';

/**
 * Gives the machine back what is free in the middle of the heap of the C library, which returns only what is free at its end by itself:
 * threads that came and went leave up to 120 MB so. Node calls no C functions, but its SQLite calls the entry point of an extension with
 * a pointer, which `malloc_trim` takes for the number of bytes to keep at the end. It answers 1, which SQLite takes for a failure. With
 * another C library than glibc nothing happens. Takes some 10 ms for 100 MB.
 */
const trimMemory = async (): Promise<void> => {
  try {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(':memory:', { allowExtension: true });
    try {
      database.loadExtension(C_LIBRARY, TRIM_FUNCTION);
    } finally {
      database.close();
    }
  } catch {
    // what SQLite takes for a failure, or a Node without SQLite
  }
};

/**
 * Gives memory back to the machine while the process has nothing to do. V8 collects garbage as new objects are made, so without this
 * an idle process keeps what its start or its last work left behind, a third of its heap. What is free then is trimmed by the next look.
 */
export const makeIdleMemory = ({ log, lookEveryMs = LOOK_EVERY_MS }: IdleMemorySettings): Component => {
  const collect = exposeCollect();
  let keptBytes = 0;
  let trimmedBytes = 0;
  let trims = 0;
  let past = performance.eventLoopUtilization();
  const look = async (): Promise<void> => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, past);
    past = now;
    const { heapUsed, rss } = process.memoryUsage();
    if (utilization > IDLE_SHARE || rss - trimmedBytes >= MIN_GROWTH_BYTES) trims = TRIMS_AFTER_WORK;
    if (utilization > IDLE_SHARE) return;
    if (heapUsed - keptBytes >= MIN_GARBAGE_BYTES) {
      collect({ type: 'major', flavor: 'last-resort' });
      keptBytes = process.memoryUsage().heapUsed;
      log.debug({ freed_bytes: heapUsed - keptBytes, heap_bytes: keptBytes }, 'memory of an idle process collected');
    } else if (trims > 0) {
      trims -= 1;
      await trimMemory();
      trimmedBytes = process.memoryUsage.rss();
      log.debug({ freed_bytes: rss - trimmedBytes, resident_bytes: trimmedBytes }, 'memory of an idle process trimmed');
    }
  };
  return new Loop({
    name: 'idle-memory',
    intervalMs: lookEveryMs,
    log,
    run: async () => {
      await look();
      return false;
    },
  });
};

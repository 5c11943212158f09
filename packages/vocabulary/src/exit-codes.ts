/** How a process of Sheaf ends. 69 and 78 are EX_UNAVAILABLE and EX_CONFIG of sysexits.h. */
export const EXIT = { done: 0, failed: 1, usage: 2, replicaRuns: 69, unavailable: 69, configuration: 78 } as const;

/** A program that is given this ends as soon as it is loaded, so that its code is compiled before it is needed. */
export const COMPILE_ONLY = '--compile-only';

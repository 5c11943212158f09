import type { Principal } from '@sheaf/vocabulary/permissions';
import { LRUCache } from 'lru-cache';

interface Entry {
  readonly principal: Principal;
  readonly untilMs: number;
}

/** 10,000 principals are about 5 MB. */
const MAX_ENTRIES = 10_000;

/**
 * Who stands behind credentials that were looked at a moment ago. The least recently used ones make room. An answer that was read
 * before something was forgotten is not remembered, however late it arrives: see `epoch`.
 */
export class PrincipalCache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #keysOf = new Map<string, Set<string>>();
  #epoch = 0;

  constructor(maxEntries = MAX_ENTRIES) {
    this.#entries = new LRUCache({ max: maxEntries, dispose: (entry, key) => this.#unlink(key, entry) });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Take it before reading what `remember` will be given. */
  get epoch(): number {
    return this.#epoch;
  }

  find(key: string, nowMs: number): Principal | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.untilMs > nowMs) return entry?.principal;
    this.#entries.delete(key);
    return undefined;
  }

  remember(key: string, principal: Principal, untilMs: number, epoch: number): void {
    if (epoch !== this.#epoch) return;
    this.#entries.set(key, { principal, untilMs });
    const keys = this.#keysOf.get(principal.userId) ?? new Set();
    this.#keysOf.set(principal.userId, keys.add(key));
  }

  forget(userId: string): void {
    this.#epoch += 1;
    for (const key of this.#keysOf.get(userId) ?? []) this.#entries.delete(key);
  }

  forgetAll(): void {
    this.#epoch += 1;
    this.#entries.clear();
  }

  #unlink(key: string, { principal }: Entry): void {
    const keys = this.#keysOf.get(principal.userId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(principal.userId);
  }
}

import { type CacheLimits, Counter, Gauge, type Live, MemoryCache, type Registry } from '@sheaf/process';

/** The memory cache of the api, and how it is used. */
export const openCache = (limits: Live<CacheLimits>, registry: Registry): MemoryCache => {
  const count = (name: string, help: string) => new Counter({ name, help, labelNames: ['cache'], registers: [registry] });
  const lookups = {
    hit: count('sheaf_cache_hits_total', 'Cache hits'),
    miss: count('sheaf_cache_misses_total', 'Cache misses'),
  };
  const cache = new MemoryCache(limits, { onLookup: (area, outcome) => lookups[outcome].inc({ cache: area }) });
  const kept: Gauge = new Gauge({
    name: 'sheaf_cache_bytes',
    help: 'Size of the memory cache in bytes',
    registers: [registry],
    collect: () => kept.set(cache.bytes),
  });
  return cache;
};

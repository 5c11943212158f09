import type { ScrubMetrics } from '@sheaf/integrity';
import { Counter, Gauge, type Registry } from '@sheaf/runtime';

export const makeScrubMetrics = (registry: Registry): ScrubMetrics => {
  const registers = [registry];
  const files = new Gauge({
    name: 'sheaf_stored_files',
    help: 'Stored originals by what was found when they were last read',
    labelNames: ['state'],
    registers,
  });
  const bytes = new Gauge({ name: 'sheaf_stored_bytes', help: 'Bytes of all stored originals', registers });
  const round = new Gauge({
    name: 'sheaf_scrub_round_timestamp_seconds',
    help: 'Every stored original was read since this time; 0 while some never were',
    registers,
  });
  const read = new Counter({ name: 'sheaf_scrub_bytes_total', help: 'Bytes of stored originals that were read to check them', registers });
  return {
    read: (count) => read.inc(count),
    seen: (totals, { missing, changed, unreadable }) => {
      const { unchecked } = totals;
      const states = {
        ok: Math.max(0, totals.files - unchecked - missing - changed - unreadable),
        missing,
        changed,
        unreadable,
        unchecked,
      };
      for (const [state, count] of Object.entries(states)) files.set({ state }, count);
      bytes.set(totals.bytes);
      round.set(unchecked === 0 ? (totals.oldestCheckAt?.getTime() ?? 0) / 1_000 : 0);
    },
  };
};

import type { ScrubMetrics } from '@sheaf/ingest/integrity';
import { Counter, Gauge, type Registry } from '@sheaf/process';

export const makeScrubMetrics = (registry: Registry): ScrubMetrics => {
  const registers = [registry];
  const files = new Gauge({
    name: 'sheaf_stored_files',
    help: 'Stored files by result of the last verification',
    labelNames: ['state'],
    registers,
  });
  const bytes = new Gauge({ name: 'sheaf_stored_bytes', help: 'Size of all stored files in bytes', registers });
  const round = new Gauge({
    name: 'sheaf_scrub_round_timestamp_seconds',
    help: 'Time since which every stored file was verified; 0 if some were never verified',
    registers,
  });
  const read = new Counter({ name: 'sheaf_scrub_bytes_total', help: 'Bytes of stored files read for verification', registers });
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

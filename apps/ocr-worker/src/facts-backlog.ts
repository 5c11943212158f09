import { warning } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { countForFacts } from '@sheaf/filing/facts';
import { type Component, type Logger, Loop } from '@sheaf/process';

/** While there are some: whoever finds their facts sees how far it is. */
const COUNTED_MS = 30_000;
/** All documents are read to count them: 0.2 s for a million. */
const INTERVAL_MS = 10 * 60_000;

/**
 * Tells in the health of this worker how many completed documents were never searched for facts, as an earlier version processed them or they
 * were imported with their text, with the command that does it. Facts fill in fields of documents, so that is not begun by itself.
 */
export const makeFactsBacklog = ({ db, log }: { readonly db: Db; readonly log: Logger }): Component => {
  let documents = 0;
  const loop = new Loop({
    name: 'facts-backlog',
    intervalMs: INTERVAL_MS,
    log,
    run: async () => {
      documents = await countForFacts(db, 'missing', new Date());
      return documents > 0 ? COUNTED_MS : INTERVAL_MS;
    },
  });
  return {
    name: 'facts',
    start: () => loop.start(),
    stop: () => loop.stop(),
    health: () => (documents === 0 ? loop.health() : warning('documents_without_facts', { documents })),
  };
};

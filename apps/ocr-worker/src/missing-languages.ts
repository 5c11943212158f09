import type { Db } from '@sheaf/db';
import { listMissingLanguages } from '@sheaf/documents';
import { type Component, type Logger, Loop } from '@sheaf/process';

const INTERVAL_MS = 30_000;

interface MissingLanguagesParts {
  readonly db: Db;
  readonly log: Logger;
  readonly installed: () => readonly string[];
}

/** Tells in the health of this worker which languages scanned pages are in that it cannot recognise, with the command that installs them. */
export const makeMissingLanguages = ({ db, log, installed }: MissingLanguagesParts): Component => {
  let missing: readonly string[] = [];
  const loop = new Loop({
    name: 'missing-languages',
    intervalMs: INTERVAL_MS,
    log,
    run: async () => {
      missing = await listMissingLanguages(db, installed());
      return false;
    },
  });
  return {
    name: 'ocr-languages',
    start: () => loop.start(),
    stop: () => loop.stop(),
    health: () => {
      if (missing.length === 0) return loop.health();
      const message = `Some scanned pages are in languages that are not installed: ${missing.join(', ')}. Install them with ./setup --languages ${missing.join(',')}, then run OCR again.`;
      return { status: 'warning', message };
    },
  };
};

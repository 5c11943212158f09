import { foundProblems, makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import { parseOcrLanguage } from '@sheaf/contract/queue';
import type { Db } from '@sheaf/db';
import { listMissingLanguages } from '@sheaf/documents';
import { type Component, type Logger, Loop } from '@sheaf/process';
import { listLanguagesWithoutHost, recordOcrHost } from '@sheaf/queue';

const INTERVAL_MS = 30_000;

interface MissingLanguagesParts {
  readonly db: Db;
  readonly log: Logger;
  readonly host: string;
  /** Those that it recognises. */
  readonly languages: readonly string[];
}

const problemsOf = (missing: readonly string[], withoutHost: readonly string[]): ServiceProblem[] => {
  const problems: ServiceProblem[] = [];
  if (missing.length > 0) problems.push(makeProblem('ocr_languages_missing', { languages: missing, argument: missing.join(',') }));
  if (withoutHost.length > 0) {
    const codes = new Set(withoutHost.flatMap((language) => parseOcrLanguage(language).codes));
    problems.push(makeProblem('ocr_language_without_host', { languages: withoutHost, argument: [...codes].join(',') }));
  }
  return problems;
};

/**
 * Tells the others which languages this host recognises, so that jobs go to hosts that have theirs. Tells in the health of this worker which
 * languages scanned pages are in that it cannot recognise, and which ones documents are to be processed in that no running host has, with the
 * command that installs them.
 */
export const makeMissingLanguages = ({ db, log, host, languages }: MissingLanguagesParts): Component => {
  let problems: readonly ServiceProblem[] = [];
  const loop = new Loop({
    name: 'missing-languages',
    intervalMs: INTERVAL_MS,
    log,
    run: async () => {
      await recordOcrHost(db, host, languages);
      problems = problemsOf(await listMissingLanguages(db, languages), await listLanguagesWithoutHost(db));
    },
  });
  return {
    name: 'ocr-languages',
    start: async () => {
      await recordOcrHost(db, host, languages); // before this worker, or another one, judges by what was installed before
      await loop.start();
    },
    stop: () => loop.stop(),
    health: () => (problems.length === 0 ? loop.health() : foundProblems('warning', problems)),
  };
};

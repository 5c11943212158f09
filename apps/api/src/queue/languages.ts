import { type AppError, makeIssue, ocrLanguage, ocrLanguagesBody, validationError } from '@sheaf/contract';
import { type Db, listProcesses } from '@sheaf/db';
import type { Clock } from '@sheaf/runtime';
import { z } from 'zod';
import type { ApiDeps } from '../deps.ts';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute } from '../http/route.ts';

type LanguageDeps = Pick<ApiDeps, 'config' | 'database' | 'clock'>;

const RECENTLY_MS = 60_000;
const facts = z.object({ languages: z.array(z.string()) });

/** Data of tesseract that stands beside its languages: how a page is turned, and equations. */
const NO_LANGUAGES: ReadonlySet<string> = new Set(['osd', 'equ']);

const oneLanguageOnly = (path: string): AppError =>
  validationError('Use one language. Several OCR languages are disabled (FEATURE_MULTI_LANGUAGE_OCR).', {
    issues: [makeIssue(path, 'one_language_only', 'must be one language')],
  });

/** The languages that the running ocr-workers can recognise; undefined while none runs. */
const installedLanguages = async (db: Db, clock: Clock): Promise<string[] | undefined> => {
  const processes = await listProcesses(db, new Date(clock.now().getTime() - RECENTLY_MS));
  const lists = processes.flatMap((row) => facts.safeParse(row.facts).data?.languages ?? []);
  return processes.some(({ name }) => name === 'ocr-worker') ? [...new Set(lists)].toSorted() : undefined;
};

const remedy = ({ ocr }: ApiDeps['config'], code = ''): string =>
  ocr.engine === 'cloud'
    ? 'is not supported by the cloud OCR service; choose another'
    : `is not installed; install tesseract-ocr-${code.replaceAll('_', '-')} or choose another`;

/**
 * Throws VALIDATION_ERROR for what is no language, and with the installed languages when `language` needs one that is not. Unknown counts as installed. `path`
 * is the field of the request.
 */
export const requireInstalledLanguage = async (
  { config, database, clock }: LanguageDeps,
  language: string | undefined,
  path = 'language',
): Promise<void> => {
  if (language === undefined) return;
  parseInput(z.object({ [path]: ocrLanguage }), { [path]: language }, 'body');
  if (!config.features.multiLanguageOcr && language.includes('+')) throw oneLanguageOnly(path);
  const installed = await installedLanguages(database.db, clock);
  const missing = installed === undefined ? [] : language.split('+').filter((code) => !installed.includes(code));
  if (missing.length === 0) return;
  throw validationError(`The language ${missing.join(', ')} ${remedy(config, missing[0])}`, {
    issues: [makeIssue(path, 'language_not_installed', `not installed: ${missing.join(', ')}`, { languages: missing })],
    installed_languages: installed,
  });
};

export const ocrLanguages = jsonRoute({
  method: 'get',
  path: '/api/ocr/languages',
  access: 'signed-in',
  summary: 'Get the available OCR languages',
  status: 200,
  response: ocrLanguagesBody,
  handle: async (_input, { config, database, clock }) => {
    const installed = await installedLanguages(database.db, clock);
    return {
      languages: installed?.filter((code) => !NO_LANGUAGES.has(code)) ?? null,
      several: config.features.multiLanguageOcr,
    };
  },
});

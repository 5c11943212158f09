import { validationError } from '@sheaf/contract';
import { type Db, listProcesses } from '@sheaf/db';
import type { Clock } from '@sheaf/runtime';
import { z } from 'zod';

const RECENTLY_MS = 60_000;
const facts = z.object({ languages: z.array(z.string()) });

/** The languages that the running ocr-workers can recognise; undefined while none runs. */
const installedLanguages = async (db: Db, clock: Clock): Promise<string[] | undefined> => {
  const processes = await listProcesses(db, new Date(clock.now().getTime() - RECENTLY_MS));
  const lists = processes.flatMap((row) => facts.safeParse(row.facts).data?.languages ?? []);
  return processes.some(({ name }) => name === 'ocr-worker') ? [...new Set(lists)].toSorted() : undefined;
};

/** Throws VALIDATION_ERROR with the installed languages when `language` needs one that is not. Unknown counts as installed. */
export const requireInstalledLanguage = async (db: Db, clock: Clock, language: string | undefined): Promise<void> => {
  if (language === undefined) return;
  const installed = await installedLanguages(db, clock);
  const missing = installed === undefined ? [] : language.split('+').filter((code) => !installed.includes(code));
  if (missing.length === 0) return;
  throw validationError(
    `The language ${missing.join(', ')} is not installed; install tesseract-ocr-${missing[0]?.replaceAll('_', '-') ?? ''} or choose another`,
    {
      issues: [{ path: 'language', message: `not installed: ${missing.join(', ')}` }],
      installed_languages: installed,
    },
  );
};

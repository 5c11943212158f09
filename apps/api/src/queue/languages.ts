import type { FixedConfig } from '@sheaf/config';
import { type AppError, makeIssue, validationError } from '@sheaf/contract';
import { ocrLanguage, ocrLanguagesBody, parseOcrLanguage } from '@sheaf/contract/queue';
import type { Db } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';

const RECENTLY_MS = 60_000;
const facts = z.object({ languages: z.array(z.string()) });

/** Data of tesseract that stands beside its languages: how a page is turned, and equations. */
const NO_LANGUAGES: ReadonlySet<string> = new Set(['osd', 'equ']);

const oneLanguageOnly = (path: string): AppError =>
  validationError('Use one language. Several OCR languages are disabled (FEATURE_MULTI_LANGUAGE_OCR).', {
    issues: [makeIssue(path, 'one_language_only')],
  });

interface LanguageParts {
  readonly config: Pick<FixedConfig, 'ocr' | 'features'>;
  readonly db: Db;
  readonly clock: Clock;
}

/** The languages that documents can be read in: those of the ocr-workers that run. */
export class OcrLanguages {
  readonly #config: LanguageParts['config'];
  readonly #db: Db;
  readonly #clock: Clock;

  constructor({ config, db, clock }: LanguageParts) {
    this.#config = config;
    this.#db = db;
    this.#clock = clock;
  }

  /** Whether a document may be read in several at once. */
  get several(): boolean {
    return this.#config.features.multiLanguageOcr;
  }

  /** The languages that the running ocr-workers can recognise; undefined while none runs. */
  async installed(): Promise<string[] | undefined> {
    const processes = await listProcesses(this.#db, new Date(this.#clock.now().getTime() - RECENTLY_MS));
    const lists = processes.flatMap((row) => facts.safeParse(row.facts).data?.languages ?? []);
    return processes.some(({ name }) => name === 'ocr-worker') ? [...new Set(lists)].toSorted() : undefined;
  }

  /**
   * Throws VALIDATION_ERROR for what is no language, and with the installed languages when `language` needs one that is not. Unknown counts as installed. `path`
   * is the field of the request.
   */
  async requireInstalled(language: string | undefined, path = 'language'): Promise<void> {
    if (language === undefined) return;
    parseInput(z.object({ [path]: ocrLanguage }), { [path]: language }, 'body');
    const { codes } = parseOcrLanguage(language);
    if (!this.several && language.includes('+')) throw oneLanguageOnly(path);
    const installed = await this.installed();
    const missing = installed === undefined ? [] : codes.filter((code) => !installed.includes(code));
    if (missing.length === 0) return;
    throw validationError(`The language ${missing.join(', ')} ${this.#remedy(missing[0])}`, {
      issues: [makeIssue(path, 'language_not_installed', { languages: missing })],
      installed_languages: installed,
    });
  }

  #remedy(code = ''): string {
    return this.#config.ocr.engine === 'cloud'
      ? 'is not supported by the cloud OCR service; choose another'
      : `is not installed; install tesseract-ocr-${code.replaceAll('_', '-')} or choose another`;
  }
}

export const ocrLanguages = (languages: OcrLanguages): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/ocr/languages',
    access: 'signed-in',
    summary: 'Get the available OCR languages',
    response: ocrLanguagesBody,
    handle: async () => {
      const installed = await languages.installed();
      return {
        languages: installed?.filter((code) => !NO_LANGUAGES.has(code)) ?? null,
        several: languages.several,
      };
    },
  });

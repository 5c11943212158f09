import type { Details, Translator } from './translator.ts';

/** The message of a code of the import log; undefined where there is none. A file that is refused has the message of the error. */
export const importLogMessage = (code: string, details: Details, { find }: Pick<Translator, 'find'>): string | undefined => {
  const problem = typeof details['problem'] === 'string' ? { problem: find(`sources.${details['problem']}`) } : {};
  return find(`importLog.${code}`, { ...details, ...problem }) ?? find(`errors.${code}`, details);
};

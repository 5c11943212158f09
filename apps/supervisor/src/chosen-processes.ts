import type { ProcfileEntry } from './procfile.ts';

const API = 'api';

/** The entries that `texts` name, as `ocr-worker` or `watcher,sync`; all where nothing is named. Throws an Error in words for the person at the command line. */
export const chooseProcesses = (entries: readonly ProcfileEntry[], texts: readonly string[]): readonly ProcfileEntry[] => {
  if (texts.length === 0) return entries;
  const known = entries.map(({ name }) => name);
  const wanted = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  const stranger = wanted.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new Error(`--only: unknown process "${stranger}"; the Procfile has ${known.join(', ')}`);
  return entries.filter(({ name }) => wanted.includes(name));
};

/** Whether this host joins an installation that runs elsewhere: it has no database of its own, and does not change the schema. */
export const isFurtherHost = (texts: readonly string[], chosen: readonly ProcfileEntry[]): boolean =>
  texts.length > 0 && !chosen.some(({ name }) => name === API);

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

export interface ProcfileEntry {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const ENTRY = /^([A-Za-z0-9][A-Za-z0-9_-]*):\s*(\S.*)$/;

/**
 * The entries of a Procfile, in order. A command is words between blanks: there is no shell, so no quotes and no
 * variables. Throws an Error that names the line.
 */
export const parseProcfile = (text: string): ProcfileEntry[] => {
  const entries: ProcfileEntry[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, command] = ENTRY.exec(line) ?? [];
    const [file, ...args] = command?.split(/\s+/) ?? [];
    if (name === undefined || file === undefined) throw new Error(`line ${index + 1} is not "name: command": ${line}`);
    if (entries.some((entry) => entry.name === name)) throw new Error(`line ${index + 1}: duplicate name ${name}`);
    entries.push({ name, command: [file, ...args] });
  }
  if (entries.length === 0) throw new Error('no "name: command" line found');
  return entries;
};

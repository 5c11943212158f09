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

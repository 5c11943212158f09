import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

const FOLDER = join(import.meta.dirname, '../../deploy/systemd');
/** Where the units say that Sheaf is installed. */
export const INSTALLED_AT = '/opt/sheaf';

export interface Unit {
  readonly name: string;
  /** The values of a setting such as `Service.ExecStart`, in order. */
  values(setting: string): readonly string[];
}

const parseUnit = (name: string, text: string): Unit => {
  const values = new Map<string, string[]>();
  let section = '';
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, header] = /^\[(Unit|Service|Install)\]$/.exec(line) ?? [];
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (header !== undefined) section = header;
    else if (key === undefined || section === '') throw new Error(`${name}, line ${index + 1} is neither a section nor a setting: ${line}`);
    else values.set(`${section}.${key}`, [...(values.get(`${section}.${key}`) ?? []), value ?? '']);
  }
  return { name, values: (setting) => values.get(setting) ?? [] };
};

/** The units of deploy/systemd, by file name. Throws for a line that is neither a section nor a setting. */
export const readUnits = (): ReadonlyMap<string, Unit> =>
  new Map(
    readdirSync(FOLDER)
      .filter((name) => /\.(service|target)$/.test(name))
      .map((name) => [name, parseUnit(name, readFileSync(join(FOLDER, name), 'utf8'))]),
  );

/** The file of variables that comes with the units. */
export const unitEnvironment = (): Record<string, string> =>
  parseEnv(readFileSync(join(FOLDER, 'sheaf.env'), 'utf8')) as Record<string, string>;

/** The words a unit starts, with paths below this tree in place of those of the installation. */
export const commandOf = (unit: Unit, root: string): string[] =>
  (unit.values('Service.ExecStart')[0] ?? '')
    .split(' ')
    .map((word) => (word.startsWith(`${INSTALLED_AT}/`) ? join(root, word.slice(INSTALLED_AT.length)) : word));

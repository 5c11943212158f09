import { type ParsedFlags, parseFlags } from '@sheaf/config';

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

export const USAGE = `usage: sheaf start [--only NAME,...] [--scale NAME=COUNT]... [--procfile FILE] [--config-file FILE] [--VARIABLE VALUE]...

  --only         processes to run on this host, such as ocr-worker; without the api, DATABASE_URL is required
  --scale        number of processes with a name, such as ocr-worker=2
  --procfile     file with the processes to run (Procfile)
  --config-file  configuration file (service.yml)
  --VARIABLE     any configuration variable, such as --server-port 9000; overrides the environment
  --help         show this help

  --show-config, --config-sources, --config-test, --config-file FILE --validate
                 print or check the configuration without starting

All variables are listed in docs/configuration/reference.md.
`;

export type CommandLine =
  | {
      readonly kind: 'start';
      /** Names of processes; empty: all of them. */
      readonly only: readonly string[];
      readonly scale: readonly string[];
      readonly procfile: string | undefined;
      readonly flags: ParsedFlags;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const parseCommandLine = (argv: readonly string[]): CommandLine => {
  const flags = parseFlags(argv, {
    only: { type: 'string' },
    scale: { type: 'string' },
    procfile: { type: 'string' },
    help: { type: 'boolean' },
  });
  if (!flags.ok) return { kind: 'wrong', message: flags.message };
  if (flags.own.has('help')) return { kind: 'help' };
  const [stray] = flags.positionals;
  if (stray !== undefined) return { kind: 'wrong', message: `unexpected argument "${stray}"` };
  const { own } = flags;
  return { kind: 'start', only: own.get('only') ?? [], scale: own.get('scale') ?? [], procfile: own.get('procfile')?.at(-1), flags };
};

import { type ParsedFlags, parseFlags } from '@sheaf/config';

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

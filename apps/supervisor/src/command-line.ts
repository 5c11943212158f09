import { parseArgs } from 'node:util';

export const USAGE = `usage: sheaf start [--scale NAME=COUNT]... [--procfile FILE]

  --scale     how many processes of a name to run, such as ocr-worker=2
  --procfile  which processes to run (Procfile)
  --help      this text

Everything else is set by environment variables; the README has the list.
`;

export type CommandLine =
  | { readonly kind: 'start'; readonly scale: readonly string[]; readonly procfile: string | undefined }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const parseCommandLine = (argv: readonly string[]): CommandLine => {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { scale: { type: 'string', multiple: true }, procfile: { type: 'string' }, help: { type: 'boolean' } },
    });
    return values.help === true ? { kind: 'help' } : { kind: 'start', scale: values.scale ?? [], procfile: values.procfile };
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) };
  }
};

import { resolve } from 'node:path';
import { readEnvironment } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { Command, CommanderError, InvalidArgumentError } from 'commander';

/** Calls `stop` when the process is gone that has started this one: somebody else takes its work over. */
export const onParentExit = (stop: () => void): void => {
  if (process.send === undefined) return;
  process.once('disconnect', stop);
  process.channel?.unref();
};

/** The path that a person means by `path` on the command line: bin/sheaf has left the folder where they called it, and tells which it was. */
export const fromCaller = (path: string): string => resolve(readEnvironment().SHEAF_CALLED_FROM ?? '.', path);

const HELP_WIDTH = 120;

/** A command whose help goes to stdout, and whose usage errors go to stderr with the usage below them. It never ends the process itself. */
export const makeCommand = (name: string): Command =>
  new Command(name)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp({ helpWidth: HELP_WIDTH, styleTitle: (title) => title.toLowerCase() })
    .configureOutput({ outputError: (message, write) => write(`${name}: ${message.replace(/^error: /, '')}`) })
    .showHelpAfterError()
    .exitOverride();

/** A parser of option values: whole numbers from 1 to `most`. */
export const countUpTo =
  (most: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) throw new InvalidArgumentError(`Use a whole number from 1 to ${most}.`);
    return value;
  };

interface Tool<Request> {
  readonly name: string;
  /** Reads the command line. Throws a CommanderError after help was printed or the usage was wrong. */
  readonly parse: (argv: readonly string[]) => Request;
  /** Does the work and answers the exit code. Loads it first: help and usage errors need none of it. */
  readonly run: (request: Request) => Promise<number>;
  readonly explain?: (error: unknown) => Promise<string>;
}

/** Runs a tool from its command line to its exit code; every failure is one message on stderr. */
export const runTool = async <Request>(
  { name, parse, run, explain }: Tool<Request>,
  argv: readonly string[] = process.argv.slice(2),
): Promise<number> => {
  try {
    return await run(parse(argv));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { exitCodeOf, reasonOf } = await import('./failure.ts');
    process.stderr.write(`${name}: ${explain === undefined ? reasonOf(error) : await explain(error)}\n`);
    return exitCodeOf(error);
  }
};

type InterruptedCode = 'backup_interrupted' | 'backup_verification_interrupted' | 'restore_interrupted';

/**
 * Aborted with the problem `code` by the first signal to stop, and when the process is gone that has started this one; the second
 * signal ends the process at once, which loses nothing either.
 */
export const stopOnSignals = (code: InterruptedCode): AbortSignal => {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new FatalError(makeProblem(code)));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(EXIT.failed);
      interrupt();
    });
  }
  onParentExit(interrupt);
  return stop.signal;
};

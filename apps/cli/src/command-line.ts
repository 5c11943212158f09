import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { Command, CommanderError, InvalidArgumentError } from 'commander';

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

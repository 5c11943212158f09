// Commands of apps/cli run in the process of their test: starting a program of so many modules takes a second of CPU time each time.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TEST_CLUSTER_VARIABLE } from '@sheaf/testkit';

const SOURCES = join(import.meta.dirname, '../../apps/cli/src');

/** What a command listens for until it ends with its process. */
const LISTENED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;

export interface EndedCommand {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Call {
  /** The file of apps/cli/src that its script in bin starts. */
  readonly program: `${string}.ts`;
  readonly args: readonly string[];
  /** All variables that it has. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is written to a stream meanwhile, instead of being written. */
const collectWrites = (stream: NodeJS.WriteStream) => {
  const own = Object.getOwnPropertyDescriptor(stream, 'write');
  let text = '';
  const collect = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    for (const done of rest) if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  Object.defineProperty(stream, 'write', { configurable: true, writable: true, value: collect });
  return {
    text: () => text,
    [Symbol.dispose]: () => {
      if (own === undefined) Reflect.deleteProperty(stream, 'write');
      else Object.defineProperty(stream, 'write', own);
    },
  };
};

/** The arguments and variables of another process until the end of the scope. */
const pretend = ({ program, args, env }: Call) => {
  const { argv, env: own, exitCode } = process;
  const listeners = LISTENED.map((name) => new Set(process.listeners(name as 'SIGINT')));
  process.argv = [process.execPath, join(SOURCES, program), ...args];
  // tests that run at the same time open databases
  const known = Object.entries({ [TEST_CLUSTER_VARIABLE]: own[TEST_CLUSTER_VARIABLE], ...env }).filter(([, value]) => value !== undefined);
  process.env = Object.fromEntries(known);
  process.exitCode = undefined;
  return {
    [Symbol.dispose]: () => {
      process.argv = argv;
      process.env = own;
      process.exitCode = exitCode;
      for (const [at, name] of LISTENED.entries())
        for (const listener of process.listeners(name as 'SIGINT')) if (listeners[at]?.has(listener) !== true) process.off(name, listener);
    },
  };
};

let calls = 0;

const runNow = async (call: Call): Promise<EndedCommand> => {
  using _pretence = pretend(call);
  using stdout = collectWrites(process.stdout);
  using stderr = collectWrites(process.stderr);
  calls += 1;
  // another URL, so that the file runs again; what it imports is loaded once
  await import(`${pathToFileURL(join(SOURCES, call.program)).href}?call=${calls}`);
  return { status: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
};

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command from its command line to its exit code in this process, one at a time. For commands that are asked to stop, that write
 * a log, or that are called by their names in bin: start the program.
 */
export const runCommandHere = (call: Call): Promise<EndedCommand> => {
  const ended = last.then(() => runNow(call));
  last = ended.catch(() => {});
  return ended;
};

/** `bin/sheaf COMMAND ...` called in `cwd`. */
export const runSheafHere = (
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd = '/',
): Promise<EndedCommand> => runCommandHere({ program: `${command}.ts`, args, env: { ...env, SHEAF_CALLED_FROM: cwd } });

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { noteProgramStart, type ToolCommand, type ToolOutcome, writeLauncher } from '@sheaf/sandbox';
import { Poppler as NodePoppler } from 'node-poppler';

export interface Limit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Failure = 'timeout' | 'encrypted' | 'corrupt' | 'reader_died';

export type PopplerResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: Failure };

/** Programs that write files and say nothing. The library keeps whatever a program prints, without a limit, so it starts no others. */
const WRITERS = ['pdftoppm', 'pdftohtml'] as const;

/** One to ask for the version. */
const STARTS = 2;

/** Of node-poppler, which names each option of the programs. */
export type DrawOptions = NonNullable<Parameters<NodePoppler['pdfToPpm']>[2]>;
export type PlacesOptions = NonNullable<Parameters<NodePoppler['pdfToHtml']>[2]>;

/**
 * The programs of poppler by node-poppler, for what is drawn of a document now and then. The library starts the programs itself, without
 * limits and with our environment, so it is given a folder of launchers in place of them: what runs is guarded like everything `runTool`
 * starts. It starts each program once more to ask its version, so what every document and every page needs is started without it.
 */
export class PopplerLibrary {
  readonly #folder: string;
  readonly #commandOf: (program: (typeof WRITERS)[number]) => ToolCommand;
  #opened: Promise<NodePoppler> | undefined;

  /** The launchers are made in `folder`, which must not be there, at the first use. */
  constructor(folder: string, commandOf: (program: (typeof WRITERS)[number]) => ToolCommand) {
    this.#folder = folder;
    this.#commandOf = commandOf;
  }

  /** Draws pages as `<prefix>…`. Throws the signal's reason when aborted. */
  draw(pdf: string, prefix: string, options: DrawOptions, limit: Limit): Promise<PopplerResult<unknown>> {
    return this.#run('pdftoppm', limit, (programs, signal) => programs.pdfToPpm(pdf, prefix, options, { signal }));
  }

  /** Writes where things stand on pages. Throws the signal's reason when aborted. */
  writePlaces(pdf: string, path: string, options: PlacesOptions, limit: Limit): Promise<PopplerResult<unknown>> {
    return this.#run('pdftohtml', limit, (programs, signal) => programs.pdfToHtml(pdf, path, options, { signal }));
  }

  async #run(
    program: (typeof WRITERS)[number],
    { timeoutMs, signal }: Limit,
    call: (programs: NodePoppler, signal: AbortSignal) => Promise<unknown>,
  ): Promise<PopplerResult<unknown>> {
    signal.throwIfAborted();
    this.#opened ??= this.#open();
    const programs = await this.#opened;
    const timeout = AbortSignal.timeout(timeoutMs);
    for (let start = 0; start < STARTS; start += 1) noteProgramStart(this.#commandOf(program).file);
    try {
      return { ok: true, value: await call(programs, AbortSignal.any([signal, timeout])) };
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, reason: timeout.aborted ? 'timeout' : reasonOf(error) };
    }
  }

  async #open(): Promise<NodePoppler> {
    await mkdir(this.#folder);
    await Promise.all(WRITERS.map((program) => writeLauncher(join(this.#folder, program), this.#commandOf(program))));
    return new NodePoppler(this.#folder);
  }
}

const isEncrypted = (message: string): boolean => /incorrect password/i.test(message);

/** Ended by SIGKILL: itself, or within its sandbox. A document that crashes the program ends it by another signal. */
const WAS_KILLED = /exited with code (?:null|137)$/;

/** The library has only the words of a program that ran. What has a code could not be started, and a TypeError is that its version could not be had. */
const reasonOf = (error: unknown): Failure => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TypeError || (error instanceof Error && 'code' in error) || WAS_KILLED.test(message)) return 'reader_died';
  return isEncrypted(message) ? 'encrypted' : 'corrupt';
};

/** What it says of a file how a program ended that was to print. */
export const failureOf = (outcome: Exclude<ToolOutcome, { kind: 'done' }>): Failure => {
  switch (outcome.kind) {
    case 'timeout':
    case 'cancelled':
      return 'timeout';
    case 'output_too_large':
      return 'corrupt';
    case 'missing':
      return 'reader_died';
    case 'failed':
      // without a code or a signal it was never started; a document that crashes it ends it by another signal
      if ((outcome.signal ?? 'SIGKILL') === 'SIGKILL' && (outcome.exitCode ?? KILLED) === KILLED) return 'reader_died';
      return isEncrypted(outcome.stderr) ? 'encrypted' : 'corrupt';
  }
};

/** Ended by SIGKILL within its sandbox. */
const KILLED = 137;

import { lstat, open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Limit } from '../pdf/poppler.ts';

/** What the office says to whoever connects, and when it has done what it was asked; each with a zero byte behind it. */
const READY = 'InternalIPC::SendArguments\0';
const DONE = 'InternalIPC::ProcessingDone\0';
const BEGIN = 'InternalIPC::Arguments';
const FOLDER = '1';

export interface OfficeJob {
  /** The socket that the office listens on. */
  readonly pipePath: string;
  readonly cwd: string;
  readonly args: readonly string[];
}

/** `refused`: it left, or said something else than an office does. */
export type OfficeJobEnd = 'done' | 'refused' | 'timeout' | 'cancelled';

/**
 * Has a running LibreOffice do what its program would do with these arguments, and waits until it is done; that does not tell whether anything
 * was converted. It is what `soffice` itself says to one that runs: to start that program in a sandbox costs as much as a short conversion.
 */
export const sendOfficeJob = async (job: OfficeJob, { timeoutMs, signal }: Limit): Promise<OfficeJobEnd> => {
  // the office could put another name in its place; nothing is said to whoever does not greet as an office does
  const found = await lstat(job.pipePath).catch(() => undefined);
  if (found?.isSocket() !== true) return 'refused';
  // a path of more than 107 bytes cannot be connected to
  await using folder = await open(dirname(job.pipePath));
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  const socket = connect(`/proc/self/fd/${folder.fd}/${basename(job.pipePath)}`);
  const either = AbortSignal.any([signal, timeout]);
  const end = (): void => void socket.destroy();
  either.addEventListener('abort', end, { once: true });
  if (either.aborted) end();
  try {
    const isDone = await converse(socket, job);
    if (isDone) return 'done';
    if (signal.aborted) return 'cancelled';
    return timeout.aborted ? 'timeout' : 'refused';
  } finally {
    either.removeEventListener('abort', end);
    socket.destroy();
  }
};

/** Whether the office said that it is done. */
const converse = (socket: Socket, job: OfficeJob): Promise<boolean> =>
  new Promise((resolve) => {
    let said = '';
    socket.on('error', () => {}); // `close` comes behind it
    socket.on('close', () => resolve(said === READY + DONE));
    socket.on('data', (chunk) => {
      const before = said;
      said += chunk.toString('latin1');
      if (!(READY + DONE).startsWith(said)) socket.destroy();
      else if (said.length >= READY.length && before.length < READY.length) socket.write(wordsOf(job));
      else if (said === READY + DONE) socket.destroy();
    });
  });

const wordsOf = ({ cwd, args }: OfficeJob): string =>
  `${BEGIN}${FOLDER}${escaped(pathToFileURL(cwd).href)}${args.map((arg) => `,${escaped(arg)}`).join('')}\0`;

const escaped = (word: string): string => word.replaceAll('\0', '').replaceAll(/[\\,]/g, String.raw`\$&`);

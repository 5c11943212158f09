import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/**
 * What programs that stay work on at the moment, for whoever has to know which document a program is busy with: their command lines do
 * not say it. Kept in the main thread; other threads send it there.
 */
interface ProgramWork {
  readonly pid: number;
  /** Undefined: nothing. */
  readonly work: string | undefined;
}

const CHANNEL = 'sheaf program work';
const works = new Map<number, string>();
let channel: BroadcastChannel | undefined;

const keep = ({ pid, work }: ProgramWork): void => {
  if (work === undefined) works.delete(pid);
  else works.set(pid, work);
};

const openChannel = (): BroadcastChannel => {
  channel ??= new BroadcastChannel(CHANNEL);
  channel.unref();
  return channel;
};

/** Notes what the program `pid` works on, in words that name the file or folder, or that it rests. */
export const noteProgramWork = (pid: number | undefined, work: string | undefined): void => {
  if (pid === undefined) return;
  if (isMainThread) keep({ pid, work });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads of one process
  else openChannel().postMessage({ pid, work } satisfies ProgramWork);
};

/** What programs work on by pid, as far as it was noted; call it in the main thread, and once before the threads begin. */
export const readProgramWork = (): ReadonlyMap<number, string> => {
  if (channel === undefined) openChannel().addEventListener('message', (event) => keep((event as MessageEvent<ProgramWork>).data));
  return works;
};

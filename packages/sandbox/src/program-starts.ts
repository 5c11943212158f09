import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** How often each program was started, in this process and its threads: a start costs more than most of what is done in it. */
const CHANNEL = 'sheaf program starts';
const starts = new Map<string, number>();
let channel: BroadcastChannel | undefined;

const count = (program: string): void => void starts.set(program, (starts.get(program) ?? 0) + 1);

const openChannel = (): BroadcastChannel => {
  channel ??= new BroadcastChannel(CHANNEL);
  channel.unref();
  return channel;
};

/** Counts a start. */
export const noteProgramStart = (program: string): void => {
  if (isMainThread) count(program);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads of one process
  else openChannel().postMessage(program);
};

/** The starts so far by the path of the program; call it in the main thread, and once before the threads begin. */
export const readProgramStarts = (): ReadonlyMap<string, number> => {
  if (channel === undefined) openChannel().addEventListener('message', (event) => count((event as MessageEvent<string>).data));
  return starts;
};

import { sleep } from '@sheaf/process';
import { nodeHttp } from '@sheaf/process/node-http';

export interface LivenessLimits {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** This many missed answers in a row mean that the process hangs. */
  readonly misses: number;
}

/** About half a minute: a busy machine is slow now and then, and a restart costs more than a wait. */
export const LIVENESS_LIMITS: LivenessLimits = { intervalMs: 5_000, timeoutMs: 5_000, misses: 4 };

export interface ProbeAddress {
  readonly host: string;
  readonly port: number;
  /** HEALTH_CHECK_PATH. */
  readonly path: string;
}

/** An address to bind to as one to connect to. */
const connectHost = (host: string): string => (host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host);

/** Whether the process answers at all. What it says of its health is not the point: a lost database needs no restart. */
const answers = ({ host, port, path }: ProbeAddress, timeoutMs: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const request = nodeHttp.get({ host: connectHost(host), port, path, agent: false, signal: limit }, (response) => {
      response.resume();
      resolve(true);
    });
    request.once('error', () => resolve(false));
  });

/** Resolves with true when the process has stopped to answer, with false when `signal` is aborted. */
export const untilSilent = async (address: ProbeAddress, limits: LivenessLimits, signal: AbortSignal): Promise<boolean> => {
  for (let missed = 0; missed < limits.misses; ) {
    if (!(await sleep(limits.intervalMs, signal))) return false;
    const alive = await answers(address, limits.timeoutMs, signal);
    if (signal.aborted) return false;
    missed = alive ? 0 : missed + 1;
  }
  return true;
};

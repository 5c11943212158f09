import type { IncomingMessage } from 'node:http';
import { nodeHttp } from '@sheaf/process/node-http';
import type { Target } from './targets.ts';

/** A process that takes longer is told of as down. */
const LIMIT_MS = 1_000;
/** Some ten times what a process has to say. */
const MAX_BYTES = 2 * 1024 * 1024;

const readText = async (response: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined; // leaving the loop ends the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const request = (host: string, port: number, path: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    nodeHttp.get({ host, port, path, agent: false, signal }, resolve).once('error', reject);
  });

/** Whether it is the process that was meant: its port may have become somebody else's. */
const isFrom = (text: string, { process, instance }: Target): boolean => {
  const line = /^sheaf_build_info\{.*$/m.exec(text)?.[0] ?? '';
  return line.includes(`process="${process}"`) && (instance === undefined || line.includes(`instance="${instance}"`));
};

/** The metrics of a process as it tells them; undefined when it does not answer in time, or somebody else does. */
export const askTarget = async (target: Target, path: string): Promise<string | undefined> => {
  const { address } = target;
  if (address === undefined) return undefined;
  try {
    const response = await request(address.host, address.port, path, AbortSignal.timeout(LIMIT_MS));
    if (response.statusCode !== 200) {
      response.destroy();
      return undefined;
    }
    const text = await readText(response);
    return text !== undefined && isFrom(text, target) ? text : undefined;
  } catch {
    return undefined; // whatever the reason, it is down, and a metric says so
  }
};

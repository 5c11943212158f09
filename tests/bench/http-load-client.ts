// A process of its own that loads the api with several clients at once, each on one connection that stays open.
import { Agent, get } from 'node:http';
import process from 'node:process';

export interface LoadRequest {
  readonly path: string;
  readonly token: string;
}

export interface Load {
  readonly port: number;
  readonly clients: number;
  /** Whichever client is free takes the next one. */
  readonly requests: readonly LoadRequest[];
}

export interface MeasuredLoad {
  /** Of each request in turn, in milliseconds, to the last byte of the answer. */
  readonly times: readonly number[];
  /** What was not answered as it should be, such as `503 /api/search?q=letter`. */
  readonly failures: readonly string[];
}

const ask = (agent: Agent, port: number, { path, token }: LoadRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', reject);
    }).once('error', reject);
  });

const measure = async ({ port, clients, requests }: Load): Promise<MeasuredLoad> => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times = requests.map(() => 0);
  const queue = requests.entries();
  const failures: string[] = [];
  const client = async (): Promise<void> => {
    for (const [index, request] of queue) {
      const startedAt = performance.now();
      const status = await ask(agent, port, request);
      if (status !== 200) failures.push(`${status} ${request.path}`);
      times[index] = performance.now() - startedAt;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return { times, failures };
};

process.on('message', (load: Load) => {
  void measure(load).then((measured) => process.send?.(measured));
});

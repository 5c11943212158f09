// Asks the service of this machine whether it lives, for the health check of a container: ends with 0 when it says so, else
// with 1 and the reason. Address and path come from the service's own configuration.
import { get } from 'node:http';
import { loadConfig, processOptions } from '@sheaf/config';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

const LIMIT_MS = 8_000;
/** What one connects to where the service listens on all addresses. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1' };

const end = (reason: string): void => {
  process.stderr.write(`health-check: ${reason}\n`);
  process.exitCode = EXIT.failed;
};

const { host, port, healthPath } = loadConfig({ ...processOptions(), triesFolders: false }).config.server;
const request = get(
  { host: LOOPBACK[host] ?? host, port, path: healthPath, agent: false, signal: AbortSignal.timeout(LIMIT_MS) },
  (response) => {
    response.resume();
    if (response.statusCode !== 200) end(`${healthPath} returned ${response.statusCode}`);
  },
);
request.once('error', (error) => end(`port ${port} is not reachable: ${error.message}`));

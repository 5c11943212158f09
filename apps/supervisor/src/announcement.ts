import { isIPv6 } from 'node:net';
import type { SupervisionMessage } from '@sheaf/process';

const SERVES_PEOPLE = 'api';
const ANY_ADDRESS = ['0.0.0.0', '::', ''];

const toUrl = ({ probe_host: host, probe_port: port }: SupervisionMessage): string => {
  const name = ANY_ADDRESS.includes(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${port}`;
};

/** What the person who started the service reads last: where it listens, what crashes, then what the children have to say. */
export const announcement = (
  children: readonly { readonly name: string; readonly readiness: SupervisionMessage | undefined; readonly failure?: string | undefined }[],
): string[] => {
  const api = children.find(({ name }) => name === SERVES_PEOPLE)?.readiness;
  const failures = children.flatMap(({ failure }) => failure ?? []);
  const up = failures.length === 0 ? 'Sheaf is running' : 'Sheaf is running, but some processes are not ready';
  const where = api === undefined ? up : `Sheaf listens on ${toUrl(api)}`;
  return [where, ...failures, ...children.flatMap(({ readiness }) => readiness?.notices ?? [])];
};

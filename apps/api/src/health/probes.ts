import { createHash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { FixedConfig } from '@sheaf/config';
import { escapeHtml, featureDisabled, reasonedError } from '@sheaf/contract';
import { componentHealth, unhealthy } from '@sheaf/contract/operations';
import type { Database } from '@sheaf/db';
import type { Live, MemoryCache, Registry } from '@sheaf/process';
import type { Share } from '@sheaf/process/machine';
import { renderMetrics } from '@sheaf/process/metrics';
import { z } from 'zod';
import { clientAddress } from '../http/request-origin.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { readinessOf, type TakeHealthSnapshot } from './health.ts';
import type { StatusReport, StatusRow } from './status-report.ts';

export const status = ({ statusReport }: HealthServices): Route =>
  streamRoute({
    method: 'get',
    path: '/status',
    access: 'anyone',
    isProbe: true,
    summary: 'Get the status page',
    description: 'HTML for clients that accept `text/html`, plain text otherwise.',
    content: {
      requestHeaders: { Accept: '`text/html` for a page that refreshes automatically' },
      answers: [
        {
          status: 200,
          description: 'Status of the service',
          contentTypes: ['text/plain', 'text/html'],
          headers: { Vary: 'The response depends on Accept' },
        },
      ],
    },
    stream: async (_input, { request, response }) => {
      const report = await statusReport();
      const isPage = request.accepts(['text/plain', 'text/html']) === 'text/html';
      response.status(200).vary('Accept').setHeader('Cache-Control', 'no-store');
      if (!isPage) {
        response.type('text/plain').send(renderStatusText(report));
        return;
      }
      response.setHeader('Content-Security-Policy', STATUS_PAGE_POLICY);
      response.type('text/html').send(renderStatusPage(report));
    },
  });

/** What the routes of health and monitoring use. */
export interface HealthServices {
  readonly config: Pick<FixedConfig, 'server' | 'signIn' | 'telemetry' | 'storage' | 'dataPath'>;
  readonly database: Database;
  readonly cache: MemoryCache;
  /** How full a disk may be. */
  readonly diskWarningShare: Live<Share>;
  /** The state of the whole service, a second old at most. */
  readonly takeHealthSnapshot: TakeHealthSnapshot;
  readonly statusReport: () => Promise<StatusReport>;
  /** Whether this process was asked to stop: it ends what it has begun, and is ready for nothing new. */
  readonly isStopping: () => boolean;
  readonly registry: Registry;
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether an address may ask for metrics: those of `networks` may (CIDR or single addresses), and every one where none are named. */
const makeMetricsGate = (networks: readonly string[]): ((address: string | undefined) => boolean) => {
  if (networks.length === 0) return () => true;
  const allowed = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) allowed.addAddress(address, family(address));
    else allowed.addSubnet(address, Number(bits), family(address));
  }
  return (address) => address !== undefined && isIP(address) !== 0 && allowed.check(address, family(address));
};

type ProbeServices = Pick<HealthServices, 'config' | 'takeHealthSnapshot' | 'isStopping' | 'registry'>;

const ALIVE = { status: 'healthy' } as const;
const STOPPING = unhealthy('service_stopping');

const liveness = (path: string): Route =>
  jsonRoute({
    method: 'get',
    path,
    access: 'anyone',
    isProbe: true,
    summary: 'Liveness probe',
    response: z.strictObject({ status: z.literal('healthy') }),
    constantAnswer: ALIVE,
    handle: async () => ALIVE,
  });

const readiness = (path: string, { takeHealthSnapshot, isStopping }: ProbeServices): Route =>
  streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    isProbe: true,
    summary: 'Readiness probe',
    description: 'Warnings and crashing processes do not affect readiness. Cached for one second.',
    content: {
      answers: [
        { status: 200, description: 'Ready', schema: componentHealth },
        { status: 503, description: 'Not ready: a required component is unhealthy', schema: componentHealth },
      ],
    },
    stream: async (_input, { response }) => {
      const state = isStopping() ? STOPPING : readinessOf(await takeHealthSnapshot());
      response.status(state.status === 'unhealthy' ? 503 : 200).json(state);
    },
  });

const metrics = (path: string, { config: { telemetry }, registry }: ProbeServices): Route => {
  const isAllowed = makeMetricsGate(telemetry.metricsNetworks);
  return streamRoute({
    method: 'get',
    path,
    access: 'anyone',
    isProbe: true,
    summary: 'Prometheus metrics, restricted to METRICS_ALLOWED_NETWORKS',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    content: { answers: [{ status: 200, description: 'Metrics of this process', contentTypes: ['text/plain', 'application/json'] }] },
    stream: async (_input, { request, response }) => {
      if (!isAllowed(clientAddress(request))) throw reasonedError('FORBIDDEN', 'network_not_allowed');
      if (!telemetry.metricsEnabled) throw featureDisabled('METRICS_ENABLED');
      const { type, body } = await renderMetrics(registry, request.headers.accept);
      response.status(200).type(type).send(body);
    },
  });
};

/** What monitoring asks, under the paths the configuration gives them. */
export const probeRoutes = (services: ProbeServices): Route[] => {
  const { server } = services.config;
  return [liveness(server.healthPath), readiness(server.readyPath, services), metrics(server.metricsPath, services)];
};

const REFRESH_SECONDS = 10;

const STYLE = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --line: #dfe3e8; --text: #1c2126; --soft: #5b6670;
  --healthy: #1a7f37; --warning: #9a6700; --unhealthy: #c1121f; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --card: #1d2125; --line: #33393f; --text: #e6e9ec; --soft: #9aa5af;
  --healthy: #4ac26b; --warning: #e0a63a; --unhealthy: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 1.5rem; display: flex; gap: .75rem; align-items: center; flex-wrap: wrap; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin-bottom: 1rem; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: .3rem 0; vertical-align: top; font-weight: normal; overflow-wrap: anywhere; }
tr + tr > * { border-top: 1px solid var(--line); }
th { color: var(--soft); width: min(11rem, 35%); padding-right: 1rem; }
.state { font-weight: 600; }
.state::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%; background: currentColor; margin-right: .45em; }
.healthy { color: var(--healthy); } .warning { color: var(--warning); } .unhealthy { color: var(--unhealthy); }
footer { color: var(--soft); font-size: .875rem; }
`;

/** Nothing but the style above: no script, no picture, no other host, no frame around it. */
const STATUS_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const stateText = ({ status, text }: StatusRow): string =>
  status === undefined || status === text
    ? status === undefined
      ? escapeHtml(text)
      : `<span class="state ${status}">${status}</span>`
    : `<span class="state ${status}">${status}</span>, ${escapeHtml(text)}`;

const section = (title: string, rows: readonly StatusRow[]): string =>
  rows.length === 0
    ? ''
    : `<section>
<h2>${title}</h2>
<table>
${rows.map((row) => `<tr><th scope="row">${escapeHtml(row.name)}</th><td>${stateText(row)}</td></tr>`).join('\n')}
</table>
</section>
`;

/** The report as a page that looks again by itself. */
const renderStatusPage = (report: StatusReport): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<title>Sheaf: ${report.status}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Sheaf <span class="state ${report.status}">${report.status}</span></h1>
${section('Action required', report.remedies)}${section('Parts', report.parts)}${section('Numbers', report.numbers)}${section('Hosts', report.hosts)}${section('Processes', report.processes)}<footer>As of ${report.now.toISOString()}; looks again every ${REFRESH_SECONDS} seconds.</footer>
</main>
</body>
</html>
`;

const LEAST_WIDTH = 12;

/** Rows as lines, in two columns with blanks between them, whatever is in the first. */
const linesOf = (rows: readonly StatusRow[]): string[] => {
  const width = rows.reduce((widest, { name }) => Math.max(widest, name.length), LEAST_WIDTH);
  return rows.map(
    ({ name, status, text }) => `${name.padEnd(width)}  ${status === undefined || status === text ? text : `${status}, ${text}`}`,
  );
};

/** The report as lines for a terminal. */
export const renderStatusText = ({ status, parts, numbers, hosts, processes, remedies }: StatusReport): string => {
  const blocks = [
    [`Sheaf: ${status}`],
    linesOf(parts),
    linesOf(numbers),
    linesOf(hosts),
    linesOf(processes),
    remedies.map(({ name, text }) => `! ${name}: ${text}`),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
};

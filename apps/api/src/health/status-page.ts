import { createHash } from 'node:crypto';
import { escapeHtml } from '@sheaf/contract';
import type { StatusReport, StatusRow } from './status-report.ts';

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
export const STATUS_PAGE_POLICY = [
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
export const renderStatusPage = (report: StatusReport): string => `<!doctype html>
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

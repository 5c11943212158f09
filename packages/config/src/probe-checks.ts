import type { ConfigIssue, Values } from './parse.ts';

type Check = (values: Partial<Values>) => ConfigIssue['message'] | undefined;

const PATH_VARIABLES = ['HEALTH_CHECK_PATH', 'READY_CHECK_PATH', 'METRICS_PATH'] as const;
/** What the service answers by itself; nothing else may stand there or below. */
const TAKEN = ['/api', '/ws', '/socket.io', '/status'];

const isTaken = (path: string): boolean => TAKEN.some((taken) => path === taken || path.startsWith(`${taken}/`));

const checkPath =
  (variable: (typeof PATH_VARIABLES)[number]): Check =>
  (values) => {
    const path = values[variable];
    if (path === undefined) return undefined;
    if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path)) return 'must be a path such as /health, of letters, digits and . _ ~ -';
    if (isTaken(path)) return `must not be ${path}: ${TAKEN.join(', ')} and what is below them are taken`;
    const same = PATH_VARIABLES.find((other) => other !== variable && values[other] === path);
    return same === undefined ? undefined : `must not be ${path}, as ${same} is; give each a path of its own`;
  };

const checkExporter: Check = ({ EXPORTER_ENABLED, METRICS_ENABLED }) =>
  EXPORTER_ENABLED === true && METRICS_ENABLED === false ? 'needs METRICS_ENABLED=true' : undefined;

export const PROBE_CHECKS: Readonly<Record<string, Check>> = {
  HEALTH_CHECK_PATH: checkPath('HEALTH_CHECK_PATH'),
  READY_CHECK_PATH: checkPath('READY_CHECK_PATH'),
  METRICS_PATH: checkPath('METRICS_PATH'),
  EXPORTER_ENABLED: checkExporter,
};

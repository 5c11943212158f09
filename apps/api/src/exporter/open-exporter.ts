import type { ProgramContext } from '@sheaf/program';
import { Exporter } from './exporter.ts';
import { MetricsGatherer } from './gather-metrics.ts';

/** The exporter, where EXPORTER_ENABLED wants one. */
export const openExporter = ({
  config,
  database,
  registry,
  clock,
  log,
}: Pick<ProgramContext, 'config' | 'database' | 'registry' | 'clock' | 'log'>): Exporter[] => {
  const { exporterPort } = config.telemetry;
  if (exporterPort === undefined) return [];
  const { host, supervisorPort } = config.probes;
  const path = config.server.metricsPath;
  const gatherer = new MetricsGatherer({
    db: database.db,
    clock,
    registry,
    processName: 'api',
    path,
    supervisor: supervisorPort === undefined ? undefined : { host, port: supervisorPort },
  });
  return [new Exporter({ host, port: exporterPort, path, log, contentType: registry.contentType, gather: () => gatherer.gather() })];
};

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadOrExit, readEnvironment } from '@sheaf/config';
import { type Logger, makeLogger, runComponents, systemClock } from '@sheaf/process';
import { COMPILE_ONLY, EXIT } from '@sheaf/vocabulary/exit-codes';
import { chooseProcesses, isFurtherHost, type ProcfileEntry, parseCommandLine, parseProcfile, USAGE } from './command-line.ts';
import { composeSupervisor } from './compose.ts';
import { LIVENESS_LIMITS, MEMORY_LOOKS } from './liveness.ts';
import { REPORT_EVERY_MS, RESTART_LIMITS } from './restart-policy.ts';
import { type Instance, parseScale, toInstances } from './supervised-child.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OCR_WORKER = 'ocr-worker';

const exitWith = (exitCode: number, lines: readonly string[]): never => {
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
  process.exit(exitCode);
};

const readProcfileOrExit = (path: string): ProcfileEntry[] => {
  try {
    return parseProcfile(readFileSync(path, 'utf8'));
  } catch (error) {
    return exitWith(EXIT.configuration, [`${path}: ${error instanceof Error ? error.message : String(error)}`]);
  }
};

const orExit = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    return exitWith(EXIT.usage, [error instanceof Error ? error.message : String(error), USAGE]);
  }
};

const instancesOf = (entries: readonly ProcfileEntry[], scale: readonly string[], ocrWorkers: number): Instance[] =>
  toInstances(entries, {
    [OCR_WORKER]: ocrWorkers,
    ...parseScale(
      scale,
      entries.map(({ name }) => name),
    ),
  });

const NEEDS_DATABASE =
  '--only without the api: this host joins a service that runs elsewhere, so it needs the database of that service. Set DATABASE_URL to its address; an embedded database accepts connections from its own host only';

/** What the person said of the configuration counts for every process. */
const withFlags = (instances: readonly Instance[], flags: readonly string[]): Instance[] =>
  instances.map((instance) => ({ ...instance, command: [...instance.command, ...flags] }));

/** The workers share the page readers by their number, which the command line may have changed. */
const workerCount = (instances: readonly Instance[]): Record<string, string> => {
  const count = instances.filter(({ name }) => name === OCR_WORKER || name.startsWith(`${OCR_WORKER}.`)).length;
  return count === 0 ? {} : { OCR_WORKER_PROCESSES: String(count) };
};

/** Lines for a person stand alone and last; a collector of JSON lines gets them as entries. */
const announceBy =
  (format: Config['log']['format'], log: Logger) =>
  (lines: readonly string[]): void => {
    if (format === 'text') process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    else for (const line of lines) log.info({ notice: line }, 'ready');
  };

const main = async (): Promise<number> => {
  if (process.argv.includes(COMPILE_ONLY)) return EXIT.done;
  const commandLine = parseCommandLine(process.argv.slice(2));
  if (commandLine.kind === 'wrong') return exitWith(EXIT.usage, [commandLine.message, USAGE]);
  if (commandLine.kind === 'help') {
    process.stdout.write(USAGE);
    return EXIT.done;
  }
  const { config, notices } = loadOrExit(commandLine.flags.values);
  const { only } = commandLine;
  const all = readProcfileOrExit(commandLine.procfile ?? join(ROOT, 'Procfile'));
  const entries = orExit(() => chooseProcesses(all, only));
  const joins = isFurtherHost(only, entries);
  if (joins && config.database.url === undefined) return exitWith(EXIT.configuration, [NEEDS_DATABASE]);
  const log = makeLogger(config.log, 'supervisor');
  for (const notice of notices) log.warn(notice);
  const { handOn } = commandLine.flags;
  const instances = orExit(() => instancesOf(entries, commandLine.scale, config.ocr.workerProcesses));
  const { components, graceMs, onReady } = composeSupervisor({
    instances: withFlags(instances, handOn),
    migration: joins ? undefined : ['node', join(ROOT, 'apps/cli/src/migrate.ts'), 'up', '--log', ...handOn],
    environment: { ...readEnvironment(), ...workerCount(instances) },
    databaseUrl: config.database.url,
    embeddedDatabase: config.embeddedDatabase,
    probes: {
      host: config.probes.host,
      port: config.probes.portBase,
      paths: config.server,
      metricsEnabled: config.telemetry.metricsEnabled,
    },
    graceMs: config.process.graceMs,
    codeCachePath: config.process.codeCachePath,
    restartLimits: RESTART_LIMITS,
    reportEveryMs: REPORT_EVERY_MS,
    livenessLimits: LIVENESS_LIMITS,
    childLimits: { heapBytes: config.resources.heapLimitBytes, blockingThreads: config.resources.blockingThreads },
    memory: { ...MEMORY_LOOKS, limitBytes: config.resources.memoryLimitBytes },
    clock: systemClock,
    log,
    announce: announceBy(config.log.format, log),
  });
  return runComponents(components, { log, graceMs, onReady });
};

process.exit(await main());

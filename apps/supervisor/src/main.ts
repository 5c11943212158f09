import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, loadConfig, readEnvironment } from '@sheaf/config';
import { EXIT } from '@sheaf/contract';
import { type Logger, makeLogger, systemClock } from '@sheaf/runtime';
import { parseCommandLine, USAGE } from './command-line.ts';
import { LIVENESS_LIMITS } from './liveness.ts';
import { type ProcfileEntry, parseProcfile } from './procfile.ts';
import { RESTART_LIMITS } from './restart-policy.ts';
import { type Instance, parseScale, toInstances } from './scale.ts';
import { supervise } from './supervise.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OCR_WORKER = 'ocr-worker';

const exitWith = (exitCode: number, lines: readonly string[]): never => {
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
  process.exit(exitCode);
};

const loadOrExit = (): ReturnType<typeof loadConfig> => {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return exitWith(
      EXIT.configuration,
      error.issues.map(({ variable, message }) => `configuration: ${variable} ${message}`),
    );
  }
};

const readProcfileOrExit = (path: string): ProcfileEntry[] => {
  try {
    return parseProcfile(readFileSync(path, 'utf8'));
  } catch (error) {
    return exitWith(EXIT.configuration, [`${path}: ${error instanceof Error ? error.message : String(error)}`]);
  }
};

const instancesOrExit = (entries: readonly ProcfileEntry[], scale: readonly string[], ocrWorkers: number): Instance[] => {
  const names = entries.map(({ name }) => name);
  try {
    return toInstances(entries, { [OCR_WORKER]: ocrWorkers, ...parseScale(scale, names) });
  } catch (error) {
    return exitWith(EXIT.usage, [error instanceof Error ? error.message : String(error), USAGE]);
  }
};

/** Lines for a person stand alone and last; a collector of JSON lines gets them as entries. */
const announceBy =
  (format: Config['log']['format'], log: Logger) =>
  (lines: readonly string[]): void => {
    if (format === 'text') process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    else for (const line of lines) log.info({ notice: line }, 'ready');
  };

const main = async (): Promise<number> => {
  const commandLine = parseCommandLine(process.argv.slice(2));
  if (commandLine.kind === 'wrong') return exitWith(EXIT.usage, [commandLine.message, USAGE]);
  if (commandLine.kind === 'help') {
    process.stdout.write(USAGE);
    return EXIT.done;
  }
  const { config } = loadOrExit();
  const entries = readProcfileOrExit(commandLine.procfile ?? join(ROOT, 'Procfile'));
  const log = makeLogger(config.log, 'supervisor');
  return supervise({
    instances: instancesOrExit(entries, commandLine.scale, config.ocr.workerProcesses),
    migration: ['node', join(ROOT, 'apps/cli/src/migrate.ts'), 'up'],
    environment: readEnvironment(),
    databaseUrl: config.database.url,
    embeddedDatabase: config.embeddedDatabase,
    probes: { host: config.probes.host, port: config.probes.portBase },
    graceMs: config.process.graceMs,
    codeCachePath: config.process.codeCachePath,
    restartLimits: RESTART_LIMITS,
    livenessLimits: LIVENESS_LIMITS,
    clock: systemClock,
    log,
    announce: announceBy(config.log.format, log),
  });
};

process.exit(await main());

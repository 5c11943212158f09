import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { trustAuthorities } from './authorities.ts';
import { type Config, type ConfigFiles, readConfigFiles, toConfig } from './config.ts';
import { crossCheck } from './cross-checks.ts';
import { readEnvironment } from './environment.ts';
import { folderIssues, missingFolderNotices, systemReason } from './folder-checks.ts';
import { mergeLayers, type NamedValues, type RawValues, toLayer, toNamedValues } from './layers.ts';
import { misspellingNotices, oldNameNotices, visibleSecretNotices } from './notices.ts';
import { ConfigError, type ConfigIssue, issueOf, parseValues, type Values } from './parse.ts';
import { readServiceFile, type ServiceFile } from './service-file.ts';
import { partialStorageNotices } from './storage-checks.ts';
import type { ProgramName } from './variable.ts';
import type { VariableName } from './variables.ts';

export interface LoadOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values of the command line, by variable name, as `parseFlags` reads them. */
  readonly flags?: NamedValues;
  /** The file that is read where CONFIG_FILE names none, if it is there. Without it none is. */
  readonly defaultFile?: string;
  /** Whether the folders are tried, which is left out by who only asks where the service listens. */
  readonly triesFolders?: boolean;
  /** The program that tries the folders that it uses; without it, those of all are tried. */
  readonly program?: ProgramName;
}

/** What was set, and what is wrong with it. Nothing is left on disk for it. */
export interface CheckedConfig {
  /** The service.yml that was read, if one was. */
  readonly file: string | undefined;
  /** Every value with its origin, for reports. */
  readonly raw: RawValues;
  readonly values: Partial<Values>;
  /** Empty: the configuration is valid. */
  readonly issues: readonly ConfigIssue[];
  /** What is no mistake and still worth a word: old names, likely misspellings. */
  readonly notices: readonly string[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** See CheckedConfig. */
  readonly file: string | undefined;
  /** Every value with its origin, for reports. */
  readonly raw: RawValues;
  /** Equal for processes that were started with the same settings. */
  readonly hash: string;
  /** See CheckedConfig. */
  readonly notices: readonly string[];
}

/** What is read without being told: the environment of this process, and the service.yml of the folder it runs in. */
export const processOptions = (): LoadOptions => ({ environment: readEnvironment(), defaultFile: 'service.yml' });

const NO_FILE: ServiceFile = { values: {}, issues: [] };

/** A relative path of the command line means the folder of the person who typed it, which bin/sheaf has left and tells. */
const findFile = ({ environment, flags = {}, defaultFile }: LoadOptions): string | undefined => {
  const flag = flags.CONFIG_FILE?.text ?? '';
  if (flag !== '') return resolve(environment.SHEAF_CALLED_FROM ?? '.', flag);
  const named = environment.CONFIG_FILE ?? '';
  if (named !== '') return named;
  return defaultFile !== undefined && existsSync(defaultFile) ? defaultFile : undefined;
};

/** Called after the variable that is at fault, with the file and line, key, flag or old name by which it was set. */
const called = (issues: readonly { readonly variable: string; readonly message: string }[], raw: RawValues): ConfigIssue[] =>
  issues.map(({ variable, message }) => issueOf(variable, raw[variable as VariableName], message));

/**
 * Reads all layers and says everything that is wrong with them. The folders are tried: written to, or made. Leaves no file and never
 * throws for a mistake of the person.
 */
export const checkConfig = (options: LoadOptions = processOptions()): CheckedConfig => {
  const { environment, flags = {}, triesFolders = true, program } = options;
  const path = findFile(options);
  const file = path === undefined ? NO_FILE : readServiceFile(path, environment);
  const sources = [file.values, toNamedValues(environment, 'environment'), flags].map((named) => ({ named, layer: toLayer(named) }));
  const raw = mergeLayers(sources.map(({ layer }) => layer));
  const { values, issues } = parseValues(raw);
  const crossed = crossCheck(values, raw);
  const wrong = [...issues, ...crossed].map(({ variable }) => variable);
  const folders = triesFolders ? folderIssues(values, { known: wrong, program }) : [];
  const isGiven = (name: VariableName): boolean => raw[name]?.origin !== 'default';
  return {
    file: path,
    raw,
    values,
    issues: [...file.issues, ...issues, ...called([...crossed, ...folders], raw)],
    notices: [
      ...sources.flatMap(({ named, layer }) => oldNameNotices(named, layer)),
      ...misspellingNotices(environment),
      ...visibleSecretNotices(flags),
      ...partialStorageNotices(values, raw),
      ...(triesFolders ? missingFolderNotices(values, isGiven) : []),
    ],
  };
};

/** Values that differ between processes by design. */
const OF_ONE_PROCESS: readonly string[] = ['PROCESS_INSTANCE', 'SUPERVISOR_PROBE_PORT', 'CONFIG_FILE'] satisfies VariableName[];

/** Equal for equal settings, wherever they came from. */
export const hashOf = (raw: RawValues): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        Object.entries(raw)
          .filter(([name]) => !OF_ONE_PROCESS.includes(name))
          .map(([name, value]) => `${name}=${value.text}`)
          .toSorted((a, b) => (a < b ? -1 : 1)),
      ),
    )
    .digest('hex')
    .slice(0, 16);

/**
 * The configuration of this process: defaults, file, environment, command line, parsed once. From now on the process trusts the
 * authorities of OUTBOUND_CA_FILE. Throws ConfigError naming every mistake.
 */
export const loadConfig = (options: LoadOptions = processOptions()): LoadedConfig => {
  const { file, raw, values, issues, notices } = checkConfig(options);
  if (issues.length > 0) throw new ConfigError(issues);
  const complete = values as Values;
  const config = toConfig(complete, raw, readFilesOf(complete, raw));
  if (config.outbound.caFile !== undefined) trustAuthorities(config.outbound.caFile);
  return { config, file, raw, hash: hashOf(raw), notices };
};

/** The configuration of a command, which tries the folders that it uses. */
export const loadForCommand = (program: 'command' | 'backup' = 'command'): LoadedConfig => loadConfig({ ...processOptions(), program });

/** The files that are made or read at the start. What fails here has just been tried: a folder was taken away in between. */
const readFilesOf = (values: Values, raw: RawValues): ConfigFiles => {
  try {
    return readConfigFiles(values);
  } catch (error) {
    const reason = `cannot hold the generated secrets: ${systemReason(error)}`;
    throw new ConfigError(called([{ variable: 'DATA_PATH', message: reason }], raw));
  }
};

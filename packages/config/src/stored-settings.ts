import { z } from 'zod';
import { type Config, type ConfigFiles, readConfigFiles, toConfig } from './config.ts';
import { crossCheck } from './cross-checks.ts';
import { effectiveFileTypes } from './file-types.ts';
import { folderIssues, usedFolders } from './folder-checks.ts';
import { mergeLayers, type RawValues } from './layers.ts';
import { hashOf, type LoadedConfig } from './load.ts';
import { type ConfigIssue, parseValues, type Values } from './parse.ts';
import { isSystemSetting, type SettingsUser, SYSTEM_SETTING_KEYS, type SystemSettingKey, systemSetting } from './system-settings.ts';
import { VARIABLES } from './variables.ts';

/** What the database holds, by key; whatever an earlier or later version put there. */
export type StoredSettings = Readonly<Record<string, unknown>>;

/** A stored setting that is not used, and why. */
export interface SettingProblem {
  readonly key: string;
  readonly message: string;
}

/** A setting of this process that changes with its next start only. */
export interface StartSetting {
  /** What the process works with. */
  readonly used: SettingValue;
  /** What it would work with if nothing were stored. */
  readonly unstored: SettingValue;
}

export interface SettingsInUse {
  readonly config: Config;
  /** Equal for processes that were started with the same settings and know of the same stored ones. */
  readonly hash: string;
  readonly problems: readonly SettingProblem[];
}

type Layer = Partial<Record<SystemSettingKey, { readonly text: string }>>;

const isLive = (key: SystemSettingKey): boolean => systemSetting(key).restarts === undefined;

const only = (layer: Layer, isWanted: (key: SystemSettingKey) => boolean): Layer =>
  Object.fromEntries(Object.entries(layer).filter(([key]) => isWanted(key as SystemSettingKey)));

const without = (layer: Layer, key: SystemSettingKey): Layer => only(layer, (other) => other !== key);

const describe = ({ variable, message }: ConfigIssue): string => `${variable} ${message}`;

/**
 * The configuration of a process together with what the database holds. Stored values that are not valid, by themselves or
 * beside the others, are left out and told: an upgrade must not keep a service from starting. Files that the configuration
 * names are read once.
 */
export class LayeredSettings {
  readonly #base: LoadedConfig;
  readonly #files: ConfigFiles;
  /** The stored settings that this process has started with. */
  #atStart: Layer = {};

  constructor(base: LoadedConfig) {
    this.#base = base;
    this.#files = readConfigFiles(parseValues(base.raw).values as Values);
  }

  /** To be called before anything is made from the configuration: settings that need a start are taken from `stored` now. */
  start(stored: StoredSettings): void {
    this.#atStart = only(this.#read(stored).layer, (key) => !isLive(key));
  }

  /** What this process works with while the database holds `stored`. */
  use(stored: StoredSettings): SettingsInUse {
    const { layer, problems } = this.#read(stored);
    const inUse = this.#settle({ ...this.#atStart, ...only(layer, isLive) });
    const raw = this.#merge(inUse.layer);
    return {
      config: toConfig(this.#parse(raw), raw, this.#files),
      hash: hashOf(this.#merge(layer)),
      problems: [...problems, ...inUse.problems],
    };
  }

  /** Every system setting with its value, once all processes have taken up what is stored. */
  values(stored: StoredSettings): Record<SystemSettingKey, SettingValue> {
    const raw = this.#merge(this.#read(stored).layer);
    const values = this.#parse(raw);
    return settingValues(values, toConfig(values, raw, this.#files));
  }

  /** What becomes wrong when what is stored changes from `before` to `after`, by the key among `changed` that is to be mended. */
  judge(before: StoredSettings, after: StoredSettings, changed: readonly SystemSettingKey[]): SettingProblem[] {
    const { layer, problems } = readEach(after);
    const { layer: layerBefore } = readEach(before);
    const known = new Set(this.#issuesOf(layerBefore).map(describe));
    return [
      ...problems.filter(({ key }) => isSystemSetting(key) && changed.includes(key)),
      ...[...this.#issuesOf(layer), ...this.#newFolderIssues(layerBefore, layer)]
        .filter((issue) => !known.has(describe(issue)))
        .map((issue) => ({ key: this.#culprit(issue, layer, changed), message: describe(issue) })),
    ];
  }

  /** The settings that `user` takes up at its next start only, as it has them now. */
  startSettings(user: SettingsUser): Partial<Record<SystemSettingKey, StartSetting>> {
    const valuesOf = (layer: Layer) => {
      const raw = this.#merge(layer);
      const values = this.#parse(raw);
      return settingValues(values, this.#base.config);
    };
    const [used, unstored] = [valuesOf(this.#atStart), valuesOf({})];
    return Object.fromEntries(
      SYSTEM_SETTING_KEYS.filter((key) => systemSetting(key).restarts?.includes(user)).map((key) => [
        key,
        { used: used[key], unstored: unstored[key] },
      ]),
    );
  }

  #read(stored: StoredSettings): { layer: Layer; problems: SettingProblem[] } {
    const { layer, problems } = readEach(stored);
    const settled = this.#settle(layer);
    return { layer: settled.layer, problems: [...problems, ...settled.problems] };
  }

  /** Takes out one setting after the other until the rest goes together. */
  #settle(layer: Layer): { layer: Layer; problems: SettingProblem[] } {
    const problems: SettingProblem[] = [];
    let rest = layer;
    for (let issues = this.#issuesOf(rest); issues[0] !== undefined; issues = this.#issuesOf(rest)) {
      const [issue] = issues;
      const key = this.#culprit(issue, rest, Object.keys(rest) as SystemSettingKey[]);
      problems.push({ key, message: describe(issue) });
      rest = without(rest, key);
    }
    return { layer: rest, problems };
  }

  /** The setting that is to be changed: the one of the variable that is wrong, else one without which nothing would be. */
  #culprit({ variable }: ConfigIssue, layer: Layer, candidates: readonly SystemSettingKey[]): SystemSettingKey {
    const isNamed = (key: SystemSettingKey): boolean => systemSetting(key).variable === variable;
    const mends = (key: SystemSettingKey): boolean => !this.#issuesOf(without(layer, key)).some((issue) => issue.variable === variable);
    const key = candidates.find(isNamed) ?? candidates.find(mends) ?? candidates[0];
    if (key === undefined) throw new Error(`${variable} is invalid without any stored setting`);
    return key;
  }

  /** What does not go together because of `layer`. A file that went away since the start, say, is no fault of a setting. */
  #issuesOf(layer: Layer): ConfigIssue[] {
    const check = (some: Layer): ConfigIssue[] => {
      const raw = this.#merge(some);
      return crossCheck(parseValues(raw).values, raw);
    };
    const own = new Set(check({}).map(describe));
    return check(layer).filter((issue) => !own.has(describe(issue)));
  }

  /** What is wrong with the folders that are used with `after` and were not with `before`. */
  #newFolderIssues(before: Layer, after: Layer): ConfigIssue[] {
    const valuesOf = (layer: Layer): Values => ({ ...this.#parse(this.#merge(layer)), SUPERVISOR_PROBE_PORT: undefined });
    const used = usedFolders(valuesOf(before)).map(({ variable }) => variable);
    return folderIssues(valuesOf(after), { known: used });
  }

  #parse(raw: RawValues): Values {
    return parseValues(raw).values as Values;
  }

  #merge(layer: Layer): RawValues {
    const raw: RawValues = {};
    for (const [key, { text }] of Object.entries(layer))
      raw[systemSetting(key as SystemSettingKey).variable] = { text, origin: 'database' };
    return mergeLayers([this.#base.raw, raw]);
  }
}

/** Each stored value by itself. */
const readEach = (stored: StoredSettings): { layer: Layer; problems: SettingProblem[] } => {
  const layer: Layer = {};
  const problems: SettingProblem[] = [];
  for (const [key, value] of Object.entries(stored)) {
    const read = isSystemSetting(key) ? readSetting(key, value) : { problem: 'is not a setting of this version' };
    if ('problem' in read) problems.push({ key, message: read.problem });
    else layer[key as SystemSettingKey] = { text: read.text };
  }
  return { layer, problems };
};

/** A setting as JSON has it. */
export type SettingValue = string | number | boolean | readonly string[];

const MAX_CHARACTERS = 1_000;
const listItem = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^,]*$/, 'must not contain a comma');

const variableOf = (key: SystemSettingKey) => VARIABLES[systemSetting(key).variable];

/** The JSON type of a setting; what is more to be said of its values says its variable. */
export const settingSchema = (key: SystemSettingKey): z.ZodType<SettingValue> => {
  const { type } = variableOf(key);
  switch (type) {
    case 'integer':
      return z.int();
    case 'number':
      return z.number();
    case 'boolean':
      return z.boolean();
    case 'list':
      return z.array(listItem).max(100);
    default:
      return type.includes(' / ') ? z.enum(type.split(' / ')) : z.string().trim().min(1).max(MAX_CHARACTERS);
  }
};

/** The part of the documentation in which it is told. */
export const settingSection = (key: SystemSettingKey): string => variableOf(key).section;

/** The text that the variable would have in the environment. */
const toText = (value: SettingValue): string => (typeof value === 'object' ? value.join(',') : String(value));

type ReadSetting = { readonly text: string; readonly value: SettingValue } | { readonly problem: string };

/** What was sent or stored as a value of `key`, in its one spelling; or what is wrong with it. */
export const readSetting = (key: SystemSettingKey, value: unknown): ReadSetting => {
  const json = settingSchema(key).safeParse(value);
  if (!json.success) return { problem: messagesOf(json.error) };
  const text = toText(json.data);
  const parsed = variableOf(key).schema.safeParse(text);
  if (!parsed.success) return { problem: messagesOf(parsed.error) };
  return { text, value: parsed.data as SettingValue };
};

const messagesOf = (error: z.ZodError): string => error.issues.map(({ message }) => message).join(', ');

/** Where a variable may stay unset, the value that counts then. */
const WHEN_UNSET: Partial<Record<SystemSettingKey, (config: Config) => SettingValue>> = {
  ocr_concurrent_jobs: ({ ocr }) => ocr.concurrentJobs,
};

/** Where more is in effect than the variable says. */
const IN_EFFECT: Partial<Record<SystemSettingKey, (value: SettingValue, config: Config) => SettingValue>> = {
  allowed_file_types: (value, { ingest }) =>
    Array.isArray(value) ? effectiveFileTypes(value.map(String), ingest.allowedFileTypes.areDefault) : value,
};

/** Every system setting with its value in a whole configuration. */
const settingValues = (values: Values, config: Config): Record<SystemSettingKey, SettingValue> =>
  Object.fromEntries(
    SYSTEM_SETTING_KEYS.map((key) => {
      const value = (values[systemSetting(key).variable] as SettingValue | undefined) ?? WHEN_UNSET[key]?.(config);
      return [key, value === undefined ? value : (IN_EFFECT[key]?.(value, config) ?? value)];
    }),
  ) as Record<SystemSettingKey, SettingValue>;

import { z } from 'zod';
import { type Config, type ConfigFiles, readConfigFiles, toConfig } from './config.ts';
import { crossCheck } from './cross-checks.ts';
import { effectiveFileTypes } from './file-types.ts';
import { folderIssues, usedFolders } from './folder-checks.ts';
import { hashOf, type LoadedConfig } from './load.ts';
import { type ConfigIssue, mergeLayers, parseValues, type RawValues, type Values } from './parse.ts';
import type { ProcessName } from './variable.ts';
import { VARIABLES, type VariableName } from './variables.ts';

/** The processes that read the configuration from a file or the environment and from the database. */
export type SettingsUser = ProcessName;

/** One setting that an administrator may change while the service runs. Its schema, unit and meaning are those of the variable. */
export interface SystemSetting {
  readonly variable: VariableName;
  /** Undefined: it applies at once. Else the processes that take it up when they start the next time. */
  readonly restarts?: readonly SettingsUser[];
}

const live = (variable: VariableName): SystemSetting => ({ variable });
const atStart = (variable: VariableName, restarts: readonly SettingsUser[]): SystemSetting => ({ variable, restarts });

const ALL: readonly SettingsUser[] = ['api', 'ocr-worker', 'watcher', 'sync'];

/**
 * The settings that the database may hold, by their names in /api/settings: the highest layer of the configuration.
 * Choice: no secret, path, address or identity provider is among them, nor who has to sign in. Who may change settings could
 * otherwise read files, send documents elsewhere or let everybody in, which is for those who have the machine.
 */
export const SYSTEM_SETTINGS = {
  rate_limit_enabled: live('RATE_LIMIT_ENABLED'),
  rate_limit_per_minute: live('RATE_LIMIT_PER_MINUTE'),
  rate_limit_burst: live('RATE_LIMIT_BURST'),
  rate_limit_browser_per_minute: live('RATE_LIMIT_BROWSER_PER_MINUTE'),
  rate_limit_uploads_per_minute: live('RATE_LIMIT_UPLOADS_PER_MINUTE'),
  websocket_max_connections: live('WEBSOCKET_MAX_CONNECTIONS'),
  cache_size_mb: live('CACHE_SIZE_MB'),
  cache_ttl: live('CACHE_TTL'),

  max_file_size_mb: live('MAX_FILE_SIZE_MB'),
  max_pdf_size_mb: live('MAX_PDF_SIZE_MB'),
  max_office_document_size_mb: live('MAX_OFFICE_DOCUMENT_SIZE_MB'),
  max_document_pages: live('MAX_DOCUMENT_PAGES'),
  allowed_file_types: live('ALLOWED_FILE_TYPES'),

  ocr_enabled: live('OCR_ENABLED'),
  ocr_language: live('OCR_LANGUAGE'),
  ocr_concurrent_jobs: live('CONCURRENT_OCR_JOBS'),
  ocr_queue_size: live('OCR_QUEUE_SIZE'),
  ocr_timeout_seconds: live('OCR_TIMEOUT_SECONDS'),
  ocr_retry_attempts: live('OCR_RETRY_ATTEMPTS'),
  ocr_retry_delay: live('OCR_RETRY_DELAY'),
  ocr_confidence_threshold: live('OCR_CONFIDENCE_THRESHOLD'),
  ocr_dpi: live('OCR_DPI'),
  ocr_psm: live('OCR_PSM'),
  ocr_oem: atStart('OCR_OEM', ['ocr-worker']),

  watch_interval_seconds: live('WATCH_INTERVAL_SECONDS'),
  file_stability_check_ms: live('FILE_STABILITY_CHECK_MS'),
  max_file_age_hours: live('MAX_FILE_AGE_HOURS'),
  watch_file_patterns: live('WATCH_FILE_PATTERNS'),
  watch_ignore_patterns: live('WATCH_IGNORE_PATTERNS'),
  watch_recursive: atStart('WATCH_RECURSIVE', ['watcher']),
  move_after_processing: atStart('MOVE_AFTER_PROCESSING', ['watcher']),
  storage_scrub_days: live('STORAGE_SCRUB_DAYS'),
  trash_retention_days: live('TRASH_RETENTION_DAYS'),

  source_check_interval: live('SOURCE_CHECK_INTERVAL'),
  sync_parallel_downloads: live('SYNC_PARALLEL_DOWNLOADS'),

  enable_registration: live('ENABLE_REGISTRATION'),
  default_user_role: live('DEFAULT_USER_ROLE'),
  require_email_verification: live('REQUIRE_EMAIL_VERIFICATION'),
  password_min_length: live('PASSWORD_MIN_LENGTH'),
  password_require_special: live('PASSWORD_REQUIRE_SPECIAL'),
  password_require_numbers: live('PASSWORD_REQUIRE_NUMBERS'),
  max_login_attempts: live('MAX_LOGIN_ATTEMPTS'),
  lockout_duration: live('LOCKOUT_DURATION'),
  jwt_expiry_minutes: live('JWT_EXPIRY_MINUTES'),
  api_key_expiry_days: live('API_KEY_EXPIRY_DAYS'),
  session_max_concurrent: live('SESSION_MAX_CONCURRENT'),

  // a user has a setting `notifications_enabled` of their own, which stands beside these
  system_notifications_enabled: live('NOTIFICATIONS_ENABLED'),
  email_enabled: live('EMAIL_ENABLED'),
  email_notification_types: live('EMAIL_NOTIFICATION_TYPES'),
  webhook_enabled: live('WEBHOOK_ENABLED'),

  health_check_interval: live('HEALTH_CHECK_INTERVAL'),
  health_email_alerts: live('HEALTH_EMAIL_ALERTS'),
  cpu_warning_threshold: live('CPU_WARNING_THRESHOLD'),
  memory_warning_threshold: live('MEMORY_WARNING_THRESHOLD'),
  disk_warning_threshold: live('DISK_WARNING_THRESHOLD'),
  metrics_enabled: atStart('METRICS_ENABLED', ALL),
  log_level: live('LOG_LEVEL'),
} as const satisfies Readonly<Record<string, SystemSetting>>;

export type SystemSettingKey = keyof typeof SYSTEM_SETTINGS;

export const SYSTEM_SETTING_KEYS = Object.keys(SYSTEM_SETTINGS) as readonly SystemSettingKey[];

export const isSystemSetting = (key: string): key is SystemSettingKey => Object.hasOwn(SYSTEM_SETTINGS, key);

/** The declaration of a setting, whichever it is. */
export const systemSetting = (key: SystemSettingKey): SystemSetting => SYSTEM_SETTINGS[key];

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

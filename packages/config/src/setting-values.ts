import { z } from 'zod';
import type { Config } from './config.ts';
import { effectiveFileTypes } from './file-types.ts';
import type { Values } from './parse.ts';
import { SYSTEM_SETTING_KEYS, type SystemSettingKey, systemSetting } from './system-settings.ts';
import { VARIABLES } from './variables.ts';

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

export type ReadSetting = { readonly text: string; readonly value: SettingValue } | { readonly problem: string };

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
export const settingValues = (values: Values, config: Config): Record<SystemSettingKey, SettingValue> =>
  Object.fromEntries(
    SYSTEM_SETTING_KEYS.map((key) => {
      const value = (values[systemSetting(key).variable] as SettingValue | undefined) ?? WHEN_UNSET[key]?.(config);
      return [key, value === undefined ? value : (IN_EFFECT[key]?.(value, config) ?? value)];
    }),
  ) as Record<SystemSettingKey, SettingValue>;

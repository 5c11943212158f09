import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type Config,
  LayeredSettings,
  LIVE_FIELDS,
  loadConfig,
  SYSTEM_SETTING_KEYS,
  type SystemSettingKey,
  systemSetting,
} from '@sheaf/config';
import test from 'ava';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-fixed-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

/** For each setting a value that is not its default. */
const OTHER: Partial<Record<SystemSettingKey, unknown>> = {
  allowed_file_types: ['pdf'],
  default_user_role: 'editor',
  email_notification_types: ['ocr_failed'],
  log_level: 'debug',
  ocr_confidence_threshold: 0.1,
  ocr_language: 'deu',
  watch_file_patterns: ['*.pdf'],
  watch_ignore_patterns: ['*.bak'],
};

/** Beside a mail server and an address for webhooks, without which some settings change nothing. */
const layers = new LayeredSettings(
  loadConfig({
    environment: {
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      EMAIL_ENABLED: 'true',
      WEBHOOK_ENABLED: 'true',
      SMTP_HOST: 'localhost',
      SMTP_USERNAME: 'sheaf',
      SMTP_PASSWORD: 'secret',
      SMTP_FROM_ADDRESS: 'sheaf@example.org',
      WEBHOOK_URL: 'http://localhost/hook',
    },
  }),
);
const before = layers.use({});
const values = layers.values({});

const otherValue = (key: SystemSettingKey): unknown => {
  const value = values[key];
  if (typeof value === 'boolean') return !value;
  return OTHER[key] ?? (typeof value === 'number' ? value + 1 : undefined);
};

const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that differ, as `section.field`. */
const changedFields = (config: Config): string[] =>
  Object.entries<unknown>(config).flatMap(([section, now]) => {
    const then: unknown = before.config[section as keyof Config];
    if (!isSection(now) || !isSection(then)) return isDeepStrictEqual(now, then) ? [] : [section];
    const [fieldsNow, fieldsThen]: readonly Readonly<Record<string, unknown>>[] = [now, then];
    const fields = Object.keys({ ...then, ...now });
    return fields.filter((field) => !isDeepStrictEqual(fieldsNow?.[field], fieldsThen?.[field])).map((field) => `${section}.${field}`);
  });

test('the fixed configuration has no field that a setting changes while a process runs, and lacks no other', (t) => {
  const changed = SYSTEM_SETTING_KEYS.filter((key) => systemSetting(key).restarts === undefined).flatMap((key) => {
    const { config, problems } = layers.use({ [key]: otherValue(key) });
    t.deepEqual(problems, [], key);
    const fields = changedFields(config);
    t.true(fields.length > 0, `${key} changes nothing`);
    return fields;
  });
  const declared = Object.entries(LIVE_FIELDS).flatMap(([section, fields]) => fields.map((field) => `${section}.${field}`));
  t.deepEqual([...new Set(changed)].toSorted(), declared.toSorted());
});

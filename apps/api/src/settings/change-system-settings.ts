import { recordAuditEntries } from '@sheaf/accounts/users';
import {
  isSystemSetting,
  readSetting,
  type SettingProblem,
  type SettingValue,
  SYSTEM_SETTING_KEYS,
  type SystemSettingKey,
  settingMeaning,
  settingSchema,
  settingSection,
  systemSetting,
} from '@sheaf/config';
import { type AppError, invalidInput, plainIssue, validationError } from '@sheaf/contract';
import { userSettingsBody, userSettingsRequest } from '@sheaf/contract/users';
import type { Database, Db } from '@sheaf/db';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { SettingsFeed } from '@sheaf/program';
import { lockSystemSettings, writeSystemSettings } from '@sheaf/program/settings';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import type { OcrLanguages } from '../queue/languages.ts';

/** Who changes settings, and from where. */
interface Changer {
  readonly principal: Principal;
  readonly address: string | undefined;
}

const refused = (problems: readonly SettingProblem[]): AppError =>
  invalidInput(
    'body',
    problems.map(({ key, message }) => plainIssue(key, message)),
  );

/** The values in their one spelling. Throws VALIDATION_ERROR with every one that is not valid. */
const normalise = (changes: SettingChanges): Record<string, SettingValue | null> => {
  const problems: SettingProblem[] = [];
  const values = Object.entries(changes).map(([key, value]) => {
    const read = value === null ? { value } : readSetting(key as SystemSettingKey, value);
    if ('problem' in read) problems.push({ key, message: read.problem });
    return [key, 'problem' in read ? null : read.value] as const;
  });
  if (problems.length > 0) throw refused(problems);
  return Object.fromEntries(values);
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * Stores settings, with a line of the audit log for each that becomes another one: the value that held, wherever it came from, and the one that
 * holds; `reset` where nothing is stored any more and the configuration holds again. Throws VALIDATION_ERROR with `issues` when a
 * value is not valid, or when the whole configuration would not be. Who changes the same at the same time comes after.
 */
export const changeSystemSettings = async (tx: Db, changes: SettingChanges, by: Changer, { feed }: SettingsServices): Promise<void> => {
  const wanted = normalise(changes);
  const before = await lockSystemSettings(tx);
  const changed = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => !isSame(before[key], value)));
  const keys = Object.keys(changed) as SystemSettingKey[];
  if (keys.length === 0) return;
  const after = Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value !== null));
  const problems = feed.layers.judge(before, after, keys);
  if (problems.length > 0) throw refused(problems);
  const [held, holds] = [feed.layers.values(before), feed.layers.values(after)];
  await writeSystemSettings(tx, changed, by.principal.userId);
  const { userId, username } = by.principal;
  await recordAuditEntries(
    tx,
    keys.map((key) => ({
      actor: { userId, username },
      address: by.address,
      action: 'setting.changed',
      outcome: 'success',
      subject: { type: 'setting', id: key },
      details: { old: held[key], new: holds[key], ...(changed[key] === null ? { reset: true } : {}) },
    })),
  );
};

/** What the routes of settings use. */
export interface SettingsServices {
  /** Of those who have chosen none. */
  readonly defaultLanguage: Live<string>;
  /** The settings that the database holds. */
  readonly feed: SettingsFeed;
  readonly database: Database;
  readonly languages: OcrLanguages;
  readonly clock: Clock;
  readonly log: Logger;
}

const describe = (key: SystemSettingKey): Readonly<Record<'description' | 'x-meaning' | 'x-section', string>> => {
  const { variable, restarts } = systemSetting(key);
  const when = restarts === undefined ? '' : `; applies after a restart of ${restarts.join(', ')}`;
  const meaning = settingMeaning(key);
  return { description: `${variable}: ${meaning}${when}`, 'x-meaning': meaning, 'x-section': settingSection(key) };
};

const shapeOf = <T extends z.ZodType>(make: (key: SystemSettingKey) => T): Record<SystemSettingKey, T> =>
  Object.fromEntries(SYSTEM_SETTING_KEYS.map((key) => [key, make(key)])) as Record<SystemSettingKey, T>;

const systemSettingsBody = z.strictObject(shapeOf((key) => settingSchema(key).meta(describe(key)))).meta({ id: 'SystemSettings' });

const changes = shapeOf((key) => settingSchema(key).nullable().optional().meta(describe(key)));
const systemSettingsRequest = z.strictObject(changes).meta({ id: 'SystemSettingsRequest' });

const settingKey = z.enum(SYSTEM_SETTING_KEYS as unknown as readonly [SystemSettingKey, ...SystemSettingKey[]]);

export const settingsBody = userSettingsBody
  .extend({
    system: systemSettingsBody.optional().describe('System settings; requires the permission settings.read'),
    stored: z.array(settingKey).optional().describe('System settings with a stored value'),
    restart_required: z.array(settingKey).optional().describe('System settings that apply after a restart'),
  })
  .meta({ id: 'Settings' });
export type SettingsBody = z.infer<typeof settingsBody>;

export const settingsRequest = userSettingsRequest
  .extend({ ...changes, system: systemSettingsRequest.optional().describe('System settings are also accepted here') })
  .meta({ id: 'SettingsRequest' });
type SettingsRequest = z.infer<typeof settingsRequest>;

/** The values of system settings that a request names; null takes the stored one away. */
type SettingChanges = Partial<Record<SystemSettingKey, SettingValue | null>>;

/** The system settings of a request, wherever they stand. Throws VALIDATION_ERROR for one that stands twice. */
export const systemChanges = ({ system = {}, ...rest }: SettingsRequest): SettingChanges => {
  const above = Object.entries(rest).filter(([key, value]) => isSystemSetting(key) && value !== undefined);
  const below = Object.entries(system).filter(([, value]) => value !== undefined);
  const twice = below.filter(([key]) => above.some(([other]) => other === key));
  if (twice.length > 0)
    throw validationError('Duplicate setting.', {
      issues: twice.map(([path]) => plainIssue(path, 'is set both at the top level and in `system`')),
    });
  return Object.fromEntries([...above, ...below]) as SettingChanges;
};

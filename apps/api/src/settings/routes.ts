import { isDeepStrictEqual } from 'node:util';
import { recordAuditEntries } from '@sheaf/accounts/users';
import {
  isSystemSetting,
  readSetting,
  type SettingProblem,
  type SettingValue,
  type StoredSettings,
  SYSTEM_SETTING_KEYS,
  type SystemSettingKey,
  settingMeaning,
  settingSchema,
  settingSection,
  systemSetting,
} from '@sheaf/config';
import { type AppError, invalidInput, permissionNeeded, plainIssue, validationError } from '@sheaf/contract';
import { type UserSettingsBody, type UserSettingsRequest, userSettingsBody, userSettingsRequest } from '@sheaf/contract/users';
import type { Database, Db } from '@sheaf/db';
import type { ProcessRow, UserSettingsRow } from '@sheaf/db/schema';
import type { Clock, Live, Logger } from '@sheaf/process';
import { listProcesses, type SettingsFeed } from '@sheaf/program';
import {
  findUserSettings,
  lockSystemSettings,
  readSystemSettings,
  saveUserSettings,
  type UserSettingsFields,
  writeSystemSettings,
} from '@sheaf/program/settings';
import { DEFAULT_PER_PAGE } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import type { OcrLanguages } from '../queue/routes.ts';

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

/** What is valid for a user: their choices, and where they made none what everybody has. */
const toUserSettings = (row: UserSettingsRow | undefined, defaultLanguage: string): UserSettingsBody => ({
  theme: row?.theme ?? 'auto',
  language: row?.language ?? 'auto',
  notifications_enabled: row?.notificationsEnabled ?? true,
  ocr_default_language: row?.ocrDefaultLanguage ?? defaultLanguage,
  items_per_page: row?.itemsPerPage ?? DEFAULT_PER_PAGE,
});

/** The columns that a request changes. */
const toFields = (request: UserSettingsRequest): UserSettingsFields => ({
  ...(request.theme === undefined ? {} : { theme: request.theme }),
  ...(request.language === undefined ? {} : { language: request.language }),
  ...(request.notifications_enabled === undefined ? {} : { notificationsEnabled: request.notifications_enabled }),
  ...(request.ocr_default_language === undefined ? {} : { ocrDefaultLanguage: request.ocr_default_language }),
  ...(request.items_per_page === undefined ? {} : { itemsPerPage: request.items_per_page }),
});

/** What processes say of the settings that they take up at a start only: see LayeredSettings.startSettings. */
const facts = z.object({ start_settings: z.record(z.string(), z.object({ used: z.unknown(), unstored: z.unknown() })) });

/** The settings of which a running process works with another value than it would after a start, in order. */
const restartRequired = (stored: StoredSettings, processes: readonly ProcessRow[]): SystemSettingKey[] => {
  const keys = processes.flatMap((row) => {
    const settings = Object.entries(facts.safeParse(row.facts).data?.start_settings ?? {});
    return settings.flatMap(([key, { used, unstored }]) => {
      if (!isSystemSetting(key)) return [];
      const read = readSetting(key, stored[key]);
      const next = 'problem' in read ? unstored : read.value;
      return JSON.stringify(next) === JSON.stringify(used) ? [] : [key];
    });
  });
  return [...new Set(keys)].toSorted();
};

type SystemRequest = z.infer<typeof settingsRequest>['system'];

/** Processes that were silent for three heartbeats are gone. */
const SILENCE_MS = 15_000;

/** System settings are nobody's own: a permission for one's own gives none of them. */
const isAllowed = ({ permissions }: Principal, action: 'settings.read' | 'settings.update'): boolean =>
  scopeOf(permissions, action) === 'all';

const readSystem = async (db: Db, { feed, clock }: SettingsServices): Promise<Partial<SettingsBody>> => {
  const stored = await readSystemSettings(db);
  const processes = await listProcesses(db, new Date(clock.now().getTime() - SILENCE_MS));
  return {
    system: feed.layers.values(stored),
    stored: Object.keys(stored).filter(isSystemSetting).toSorted(),
    restart_required: restartRequired(stored, processes),
  };
};

/** Whether they are all there are: then they are what GET gave, and who changes some of them does not want the others to be stored. */
const isWhole = (system: SystemRequest): system is NonNullable<SystemRequest> =>
  system !== undefined && SYSTEM_SETTING_KEYS.every((key) => system[key] !== undefined);

const changedOf = async (system: NonNullable<SystemRequest>, services: SettingsServices): Promise<SystemRequest> => {
  const present: Readonly<Record<string, unknown>> = (await readSystem(services.database.db, services)).system ?? {};
  return Object.fromEntries(Object.entries(system).filter(([key, value]) => !isDeepStrictEqual(value, present[key])));
};

const readAll = async (db: Db, principal: Principal, services: SettingsServices): Promise<SettingsBody> => ({
  ...toUserSettings(await findUserSettings(db, principal.userId), services.defaultLanguage.current()),
  ...(isAllowed(principal, 'settings.read') ? await readSystem(db, services) : {}),
});

const read = (services: SettingsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/settings',
    access: 'signed-in',
    summary: 'Get your settings, and system settings with the permission settings.read',
    description:
      'Values of `system` are the effective ones: stored settings take precedence over the command line, the environment and `service.yml`.',
    response: settingsBody,
    handle: ({ principal }) => readAll(services.database.db, principal, services),
  });

const change = (services: SettingsServices): Route =>
  jsonRoute({
    method: 'put',
    path: '/api/settings',
    access: 'session',
    summary: 'Change your settings and system settings; only the given fields change',
    description: [
      '`items_per_page` is for clients; lists without `per_page` always have 20 rows.',
      'System settings require the permission settings.update. They are stored in the database, apply to all processes within seconds, and changes are in the audit log with old and new value. `null` removes a stored value, so that the configuration applies again. Values that conflict with the configuration are rejected with `issues`. Settings that apply only after a restart are in `restart_required` until then.',
    ].join('\n\n'),
    body: settingsRequest,
    response: settingsBody,
    present: ({ principal }, db) => readAll(db, principal, services),
    handle: async ({ body, principal, context }) => {
      const { database, feed, log } = services;
      const [own, changes] = [
        toFields(body),
        systemChanges(isWhole(body.system) ? { ...body, system: await changedOf(body.system, services) } : body),
      ];
      const hasChanges = Object.keys(changes).length > 0;
      if (hasChanges && !isAllowed(principal, 'settings.update')) throw permissionNeeded('settings.update');
      await services.languages.requireInstalled(body.ocr_default_language, 'ocr_default_language');
      if (typeof changes.ocr_language === 'string') await services.languages.requireInstalled(changes.ocr_language, 'ocr_language');
      await database.db.transaction(async (tx) => {
        await context.requireMatch(tx);
        if (Object.keys(own).length > 0) await saveUserSettings(tx, principal.userId, own);
        if (hasChanges) await changeSystemSettings(tx, changes, { principal, address: context.address }, services);
      });
      // this process at once, so that who has changed something sees it at their next request; it is committed whatever becomes of this
      if (hasChanges) await feed.refresh().catch((error: unknown) => log.warn({ err: error }, 'stored settings are applied later'));
      return readAll(database.db, principal, services);
    },
  });

export const settingsRoutes = (services: SettingsServices): readonly Route[] => [read(services), change(services)];

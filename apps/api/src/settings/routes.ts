import { isDeepStrictEqual } from 'node:util';
import { isSystemSetting, readSetting, type StoredSettings, SYSTEM_SETTING_KEYS, type SystemSettingKey } from '@sheaf/config';
import { permissionNeeded } from '@sheaf/contract';
import type { UserSettingsBody, UserSettingsRequest } from '@sheaf/contract/users';
import type { Db } from '@sheaf/db';
import type { ProcessRow, UserSettingsRow } from '@sheaf/db/schema';
import { listProcesses } from '@sheaf/program';
import { findUserSettings, readSystemSettings, saveUserSettings, type UserSettingsFields } from '@sheaf/program/settings';
import { DEFAULT_PER_PAGE } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import {
  changeSystemSettings,
  type SettingsBody,
  type SettingsServices,
  settingsBody,
  settingsRequest,
  systemChanges,
} from './change-system-settings.ts';

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

import { userSettingsBody, userSettingsRequest } from '@sheaf/contract';
import { findUserSettings, saveUserSettings } from '@sheaf/db';
import { jsonRoute, type Route } from '../http/route.ts';
import { requireInstalledLanguage } from '../queue/languages.ts';
import { toFields, toUserSettings } from './user-settings.ts';

const read = jsonRoute({
  method: 'get',
  path: '/api/settings',
  access: 'signed-in',
  summary: 'Your settings',
  status: 200,
  response: userSettingsBody,
  handle: async ({ principal }, { database, config }) => toUserSettings(await findUserSettings(database.db, principal.userId), config),
});

const change = jsonRoute({
  method: 'put',
  path: '/api/settings',
  access: 'session',
  summary: 'Change your settings; only the fields that are given change',
  description: '`items_per_page` is for programs that show lists; without `per_page` a list has 20 rows all the same.',
  body: userSettingsRequest,
  status: 200,
  response: userSettingsBody,
  handle: async ({ body, principal }, deps) => {
    await requireInstalledLanguage(deps, body.ocr_default_language);
    return toUserSettings(await saveUserSettings(deps.database.db, principal.userId, toFields(body)), deps.config);
  },
});

export const settingsRoutes: readonly Route[] = [read, change];

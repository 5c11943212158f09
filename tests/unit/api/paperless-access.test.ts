// A route of the Paperless-compatible API that stands before one of ours lets in nobody whom ours refuses.

import { askRoute, describePaperlessRoutes, describeRoutes, passTo, type Route } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import { ACTIONS, type Principal } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { z } from 'zod';

const { config } = loadConfig({ environment: { FEATURE_PAPERLESS_API: 'true' } });
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

const somebody = { userId: crypto.randomUUID(), username: 'anna', role: 'admin' };
const key: Principal = { ...somebody, permissions: ACTIONS, via: 'key', keyId: crypto.randomUUID() };
const powerless: Principal = { ...somebody, permissions: [], via: 'token' };
const barred: Principal = { ...powerless, mfaSetupRequired: true };

/** How a route of ours refuses a principal whom another API passes on; undefined where it lets the principal in. */
const refusalOf = async (route: Route, principal: Principal): Promise<unknown> => {
  const request = { params: {}, query: {}, body: {}, principal, context: {} as never };
  try {
    if (route.kind === 'json') await askRoute({ ...route, handle: () => Promise.resolve({}) }, z.unknown(), request);
    else await passTo({ ...route, stream: () => Promise.resolve() }, request, {} as never);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'FORBIDDEN') return error.details.reason ?? error.code;
  }
  return undefined;
};

const expectedOf = ({ access, allowedBeforeMfa }: Route): Record<string, unknown> => {
  if (access === 'anyone' || access === 'anyone-known') return { key: undefined, powerless: undefined, barred: undefined };
  const setUp = allowedBeforeMfa === true ? undefined : 'MFA_SETUP_REQUIRED';
  if (access === 'signed-in') return { key: undefined, powerless: undefined, barred: setUp };
  if (access === 'session') return { key: 'not_with_a_key', powerless: undefined, barred: setUp };
  return { key: undefined, powerless: 'permission_needed', barred: setUp ?? 'permission_needed' };
};

test('behind another API, every route keeps its access: permission, session and second factor', async (t) => {
  const routes = describeRoutes(config);
  t.true(routes.some(({ access }) => access === 'session'));
  for (const route of routes) {
    const found = {
      key: await refusalOf(route, key),
      powerless: await refusalOf(route, powerless),
      barred: await refusalOf(route, barred),
    };
    t.deepEqual(found, expectedOf(route) as typeof found, nameOf(route));
  }
});

/** A token ends itself, an app keeps its own state, and lists of what does not exist here refuse everybody. */
const FOR_ANYBODY_SIGNED_IN = new Set([
  'delete /paperless/api/token',
  'post /paperless/api/ui_settings',
  'post /paperless/api/storage_paths',
  'post /paperless/api/groups',
  'post /paperless/api/mail_accounts',
  'post /paperless/api/mail_rules',
  'post /paperless/api/workflows',
  'post /paperless/api/workflow_triggers',
  'post /paperless/api/workflow_actions',
]);

test('of the routes that apps call, those that change something ask for a permission or a session', (t) => {
  const changing = describePaperlessRoutes(config).filter(({ method, access }) => method !== 'get' && access === 'signed-in');
  t.deepEqual(
    changing.map(nameOf).filter((name) => !FOR_ANYBODY_SIGNED_IN.has(name)),
    [],
  );
});

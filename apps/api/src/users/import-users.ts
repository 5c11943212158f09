import { setImmediate } from 'node:timers/promises';
import { type GivenEntry, getUserImport, requestUserImport } from '@sheaf/accounts/users';
import { importUsersBody, importUsersRequest } from '@sheaf/contract/users';
import type { Db } from '@sheaf/db';
import { requesterOf } from '@sheaf/db/requester';
import type { UserImport } from '@sheaf/db/schema';
import { sleep } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { jsonRoute, OtherAnswer, type Route } from '../http/route.ts';
import { toEntry } from './imported-user.ts';
import { invite, toImportBody } from './user-imports.ts';
import type { UserImportServices } from './user-services.ts';

/** So long the request waits for the end of its import, and never longer than half of REQUEST_TIMEOUT. */
const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;
const RETRY_AFTER_SECONDS = 2;
/** Checking so many entries takes some milliseconds, in which nothing else is answered. */
const ENTRIES_AT_ONCE = 500;

const toEntries = async (list: readonly unknown[]): Promise<readonly GivenEntry[]> => {
  const entries: GivenEntry[] = [];
  for (let from = 0; from < list.length; from += ENTRIES_AT_ONCE) {
    entries.push(...list.slice(from, from + ENTRIES_AT_ONCE).map(toEntry));
    await setImmediate();
  }
  return entries;
};

/** The import when it has ended, or as far as it is when the time to wait is over or the client is gone. */
const waitForEnd = async (db: Db, principal: Principal, id: string, limitMs: number, signal: AbortSignal): Promise<UserImport> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const row = await getUserImport(db, principal, id);
    if (row.finishedAt !== null || performance.now() > deadline || !(await sleep(LOOK_EVERY_MS, signal))) return row;
  }
};

export const importUsers = (services: UserImportServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/users/import',
    access: 'users.create',
    summary: 'Import users',
    description:
      'The list is the body, or a JSON file in the field `file` of a form. The list is stored and imported in the background, whatever becomes of the connection or a process; each user is created once. The response is 200 with the result if the import ends within 10 seconds (or half of REQUEST_TIMEOUT, if that is less), else 202: GET /api/users/imports/{id} has the progress and the result. Users are processed independently; invalid or existing users are listed in `errors`. A user without a password gets an invitation to set it (POST /api/auth/invitation): a response with status 200 contains the invitations, and POST /api/users/imports/{id}/invitations creates new ones. An import runs with the permissions that its requester, and the API key of the request, have at that time, and ends with `error_code` when they are lost.',
    body: importUsersRequest,
    takesBodyFile: true,
    mayTakeLong: true,
    carriesCredentials: true,
    status: 200,
    response: importUsersBody,
    otherAnswers: [
      {
        status: 202,
        description: 'The import goes on in the background',
        schema: importUsersBody,
        headers: { Location: 'Path of the import', 'Retry-After': 'Seconds after which to ask for the progress' },
      },
    ],
    handle: async ({ body, principal, context: { address, signal } }) => {
      const { config, database, userImports } = services;
      const id = await requestUserImport(database.db, {
        requester: requesterOf(principal),
        address,
        entries: await toEntries(body),
        secretKey: config.signIn.appSecretKey,
      });
      userImports.nudge();
      const row = await waitForEnd(database.db, principal, id, Math.min(WAIT_MS, config.server.requestTimeoutMs / 2), signal);
      const result = await toImportBody(database.db, row);
      if (row.finishedAt === null) {
        const headers = { Location: `/api/users/imports/${id}`, 'Retry-After': `${RETRY_AFTER_SECONDS}` };
        return new OtherAnswer(202, { ...result, invitations: [] }, headers);
      }
      const { invitations } = await invite(services, { principal, address }, id, false);
      return { ...result, invitations };
    },
  });

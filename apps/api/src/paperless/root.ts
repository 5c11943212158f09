import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { anyQuery } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

/** Programs ask for it to find out whether there is a Paperless at all, before anybody has signed in. */
export const root = (lists: readonly string[]): Route =>
  jsonRoute({
    method: 'get',
    path: PAPERLESS_PREFIX,
    access: 'anyone',
    summary: 'List the resources',
    query: anyQuery,
    status: 200,
    response: z.record(z.string(), z.string()),
    handle: async ({ context: { headers, connection } }) => {
      const address = `${connection.isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}${PAPERLESS_PREFIX}`;
      return Object.fromEntries(lists.map((name) => [name, `${address}/${name}/`]));
    },
  });

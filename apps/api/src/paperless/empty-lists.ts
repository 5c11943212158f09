import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { pageBody, readPage, toPage } from './paging.ts';
import { anyQuery } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

/** What Sheaf has nothing of, or in another form: apps show an empty list instead of an error. */
const NAMES = ['storage_paths', 'groups', 'mail_accounts', 'mail_rules', 'workflows', 'workflow_triggers', 'workflow_actions'] as const;

const MAX_PAGE_SIZE = 1_000;

const emptyList = (name: (typeof NAMES)[number]): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/${name}`,
    access: 'signed-in',
    summary: 'An empty list',
    query: anyQuery,
    status: 200,
    response: pageBody(z.never()),
    handle: async ({ query, context }) =>
      toPage({ count: 0, all: [], results: [] }, readPage(query, MAX_PAGE_SIZE), { path: `/${name}`, query, context }),
  });

export const emptyLists: readonly Route[] = NAMES.map(emptyList);

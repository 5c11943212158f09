import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import { HOST_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';

/** Choice: all of most installations on one page. */
export const hostListQuery = pageQuery.extend({
  per_page: pageQuery.shape.per_page.unwrap().default(MAX_PER_PAGE),
  ...sortQuery(HOST_SORT_FIELDS, { sort: 'host', order: 'asc' }),
});

export const hostBody = z
  .strictObject({
    host: z.string(),
    processes: z.array(z.string()).describe('Names of its processes, with a number from the second one on'),
    active: z.array(z.string()).describe('Of watcher and sync, of which one each works in the whole installation: those that work here'),
    standby: z.array(z.string()).describe('Of watcher and sync: those that take over when the one that works ends'),
    version: z.string().describe('Of its newest process'),
    cores: z.int().nullable().describe('CPU cores that its OCR workers may use; null without an OCR worker'),
    languages: z.array(z.string()).describe('OCR languages that are installed there'),
    state: z
      .enum(['running', 'draining', 'drained', 'silent'])
      .describe('draining: its OCR workers finish what they have begun; drained: they have; silent: no heartbeat for 15 seconds'),
    last_seen_at: z.iso.datetime(),
    active_jobs: z.int().describe('Documents that are being processed there'),
  })
  .meta({ id: 'Host' });
export type HostBody = z.infer<typeof hostBody>;

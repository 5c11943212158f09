import type { ComponentHealth } from '@sheaf/contract/operations';
import { HEALTH_STATUSES } from '@sheaf/vocabulary/health';
import { bigint, boolean, index, integer, jsonb, pgTable, text, uuid } from '../drizzle.ts';
import { timestamptz } from './columns.ts';

/** Each running process keeps its row fresh; health is read from here. */
export const processes = pgTable(
  'processes',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    pid: integer('pid').notNull(),
    host: text('host').notNull(),
    version: text('version').notNull(),
    configHash: text('config_hash').notNull(),
    probePort: integer('probe_port'),
    holdsLock: boolean('holds_lock').notNull().default(false),
    status: text('status', { enum: HEALTH_STATUSES }).notNull(),
    components: jsonb('components').$type<Record<string, ComponentHealth>>().notNull().default({}),
    facts: jsonb('facts').$type<Record<string, unknown>>().notNull().default({}),
    memoryBytes: bigint('memory_bytes', { mode: 'number' }).notNull(),
    startedAt: timestamptz('started_at').notNull(),
    seenAt: timestamptz('seen_at').notNull().defaultNow(),
  },
  (t) => [index('processes_seen_at_idx').on(t.seenAt)],
);
export type ProcessRow = typeof processes.$inferSelect;

/** The hosts of OCR workers and the languages that they recognise. */
export const ocrHosts = pgTable('ocr_hosts', {
  host: text('host').primaryKey(),
  languages: text('languages').array().notNull(),
  seenAt: timestamptz('seen_at').notNull().defaultNow(),
});

/** Which term the processes work in of which one works at a time. See Leadership. */
export const leaderships = pgTable('leaderships', {
  name: text('name').primaryKey(),
  term: bigint('term', { mode: 'number' }).notNull(),
  takenAt: timestamptz('taken_at').notNull().defaultNow(),
});

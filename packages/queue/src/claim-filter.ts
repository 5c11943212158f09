import { inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import { JOB_PRIORITIES, type JobPriority } from '@sheaf/vocabulary/jobs';
import { DRAINED_HOST } from './drained-hosts.ts';

/** Which jobs a claim may take; all that are due where nothing is given. */
export interface ClaimFilter {
  /** Where the worker runs. A host that is drained takes nothing. */
  readonly host?: string;
  /** Which languages it recognises. A job goes to a host that has its language, where there is one; all where nothing is given. */
  readonly languages?: readonly string[];
  readonly leastPriority?: JobPriority;
  /** Only documents that are processed in a moment, whoever sent them: plain texts of at most `SHORT_BYTES`. */
  readonly isShort?: true;
}

const SHORT_BYTES = 1024 * 1024;
const SHORT_MIME_TYPES: readonly string[] = FILE_KINDS.filter(({ family }) => family === 'text').map(({ mimeType }) => mimeType);
/** Short documents are looked for among so many jobs that are next, so that a long queue without any costs little. */
const NEXT_JOBS = 1_000;
/** Of which other workers may be claiming some at this moment. */
const SHORT_JOBS = 100;

/**
 * Found once, as an array, and not for each job that waits. What a document is comes from a subquery of its own, so that it is looked up by
 * its id: joined, each job was compared with all texts of the library. Texts need no OCR, so every host takes them.
 */
const shortJobs = sql`array(
  select next.id from (
    select id, document_id, priority, due_at from ocr_jobs
    where status = 'pending' and due_at <= now() order by priority desc, due_at, id limit ${NEXT_JOBS}
  ) next
  where (
    select ${inArray(documents.mimeType, [...SHORT_MIME_TYPES])} and documents.size_bytes <= ${SHORT_BYTES}
    from documents where documents.id = next.document_id
  )
  order by next.priority desc, next.due_at, next.id limit ${SHORT_JOBS})`;

/** The condition on a row of `ocr_jobs`, beginning with `and`; empty where all may be taken. */
export const claimable = ({ host, leastPriority, isShort }: ClaimFilter): SQL => {
  const working = host === undefined ? sql`` : sql`and not exists (select from settings where key = ${DRAINED_HOST + host})`;
  const urgency = leastPriority === undefined ? working : sql`${working} and priority >= ${JOB_PRIORITIES[leastPriority]}`;
  return isShort ? sql`${urgency} and id = any(${shortJobs})` : urgency;
};

import { inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import { JOB_PRIORITIES, type JobPriority } from '@sheaf/vocabulary/jobs';

/** Which jobs a claim may take; all that are due where nothing is given. */
export interface ClaimFilter {
  readonly leastPriority?: JobPriority;
  /** Only documents that are processed in a moment, whoever sent them: plain texts of at most `SHORT_BYTES`. */
  readonly isShort?: true;
}

const SHORT_BYTES = 1024 * 1024;
const SHORT_MIME_TYPES: readonly string[] = FILE_KINDS.filter(({ family }) => family === 'text').map(({ mimeType }) => mimeType);
/** Short documents are looked for among so many jobs that are next, so that a long queue without any costs little. */
const NEXT_JOBS = 1_000;

const shortJobs = sql`
  select next.id from (
    select id, document_id from ocr_jobs where status = 'pending' and due_at <= now() order by priority desc, due_at, id limit ${NEXT_JOBS}
  ) next join documents on documents.id = next.document_id
  where ${inArray(documents.mimeType, [...SHORT_MIME_TYPES])} and documents.size_bytes <= ${SHORT_BYTES}`;

/** The condition on a row of `ocr_jobs`, beginning with `and`; empty where all may be taken. */
export const claimable = ({ leastPriority, isShort }: ClaimFilter): SQL => {
  const urgency = leastPriority === undefined ? sql`` : sql`and priority >= ${JOB_PRIORITIES[leastPriority]}`;
  return isShort ? sql`${urgency} and id in (${shortJobs})` : urgency;
};

import type { Db } from '@sheaf/db';
import { eq, type SQL, sql } from '@sheaf/db/drizzle';
import { ocrHosts, settings } from '@sheaf/db/schema';
import { CHANNELS } from '@sheaf/vocabulary/events';

/** A host that restarts, or is moved, is back by then: until then its languages are waited for. */
const BACK_MS = 60 * 60_000;
/** A worker says so every 30 seconds. */
const RUNNING_MS = 90_000;
/** A job is claimed within seconds where a host has its language and a free place. */
const WAITING_MS = 60_000;
const MOST_LANGUAGES = 10;

const before = (ms: number): SQL => sql`now() - ${ms} * interval '1 millisecond'`;

/** Records which languages the workers of a host recognise, and forgets hosts that have not said so for long. */
export const recordOcrHost = async (db: Db, host: string, languages: readonly string[]): Promise<void> => {
  const now = { languages: [...languages], seenAt: sql`now()` };
  await db
    .insert(ocrHosts)
    .values({ host, ...now })
    .onConflictDoUpdate({ target: ocrHosts.host, set: now });
  await db.delete(ocrHosts).where(sql`seen_at < ${before(BACK_MS)}`);
};

/** The codes of an OCR language as documents have it. */
const codesOf = (language: SQL): SQL => sql`case when ${language} = 'auto' then '{}' when starts_with(${language}, 'auto:')
  then string_to_array(substr(${language}, 6), ',') else string_to_array(${language}, '+') end`;

/** Whether a host with the languages `known` can read all of `language`, and whether it can some of it, where one of several is enough. */
const readsAll = (known: SQL, language: SQL): SQL => sql`${codesOf(language)} <@ ${known}`;
const readsSome = (known: SQL, language: SQL): SQL => sql`starts_with(${language}, 'auto:') and ${codesOf(language)} && ${known}`;

const someHost = (condition: SQL, sinceMs: number): SQL =>
  sql`exists (select from ocr_hosts where seen_at > ${before(sinceMs)} and ${condition})`;
const HOST_LANGUAGES = sql`ocr_hosts.languages`;

/**
 * Whether a host with the languages `own` takes jobs in `language`: it reads all of it, or no host does and it reads some, or no host
 * reads any. The last one ends as where there is one host alone: what needs no OCR is processed, the rest fails and says why.
 */
const takes = (own: SQL, language: SQL): SQL => sql`(${readsAll(own, language)}
  or not ${someHost(readsAll(HOST_LANGUAGES, language), BACK_MS)}
    and (${readsSome(own, language)} or not ${someHost(readsSome(HOST_LANGUAGES, language), BACK_MS)}))`;

/** The languages of pending jobs, one probe of the index each; there is no null among them. */
const WAITING_LANGUAGES = sql`
  probed (language) as (
    (select ocr_language from ocr_jobs where status = 'pending' order by ocr_language limit 1)
    union all
    select (select ocr_language from ocr_jobs where status = 'pending' and ocr_language > probed.language order by ocr_language limit 1)
    from probed where probed.language is not null
  )`;

/** As the server writes an array of texts: a list that is a parameter could not stand in a statement without parameters. */
const arrayText = (values: readonly string[]): string => `{${values.map((value) => JSON.stringify(value)).join(',')}}`;

/**
 * For `with recursive`: `taken (language)`, the languages of pending jobs that a host with the languages `own` takes, all where `own` is
 * undefined.
 */
export const TAKEN_LANGUAGES = (own: readonly string[] | undefined): SQL => sql`${WAITING_LANGUAGES}, taken (language) as materialized (
    select language from probed where language is not null
      ${own === undefined ? sql`` : sql`and ${takes(sql`${arrayText(own)}::text[]`, sql`language`)}`}
  )`;

/**
 * The OCR languages that documents wait for, or failed for, and that no host has which runs and takes jobs; at most ten. They wait for a
 * host that had their language lately, and fail where there is none.
 */
export const listLanguagesWithoutHost = async (db: Db): Promise<string[]> => {
  const isWorking = sql`not exists (select from settings where key = ${DRAINED_HOST} || ocr_hosts.host)`;
  const readable = sql`${readsAll(HOST_LANGUAGES, sql`language`)} or ${readsSome(HOST_LANGUAGES, sql`language`)}`;
  const { rows } = await db.execute<{ language: string }>(sql`
    with recursive ${WAITING_LANGUAGES}, wanted as (
      select language from probed where language is not null and exists (
        select from ocr_jobs where status = 'pending' and ocr_language = language and due_at < ${before(WAITING_MS)})
      union
      select ocr_language from documents where status = 'failed' and error_code = 'language_missing'
    )
    select language from wanted where not ${someHost(sql`${isWorking} and (${readable})`, RUNNING_MS)}
    order by language limit ${MOST_LANGUAGES}`);
  return rows.map(({ language }) => language);
};

/** Begins the keys of hosts that take no new jobs. The claim reads them in its own statement. */
export const DRAINED_HOST = 'ocr_drained_host.';

/** Lets the workers of a host take nothing new, or take jobs again. What is being read is read to its end. */
export const setHostDrained = async (tx: Db, host: string, isDrained: boolean): Promise<void> => {
  const key = DRAINED_HOST + host;
  if (isDrained) await tx.insert(settings).values({ key, value: true }).onConflictDoNothing();
  else await tx.delete(settings).where(eq(settings.key, key));
  await tx.execute(sql`select pg_notify(${CHANNELS.jobs}, '')`);
};

export const listDrainedHosts = async (db: Db): Promise<ReadonlySet<string>> => {
  const rows = await db.select({ key: settings.key }).from(settings).where(sql`starts_with(${settings.key}, ${DRAINED_HOST})`);
  return new Set(rows.map(({ key }) => key.slice(DRAINED_HOST.length)));
};

/** How many documents each host is reading. A worker calls itself by its host first, then a colon. */
export const countJobsOfHosts = async (db: Db): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await db.execute<{ host: string; jobs: number }>(sql`
    select split_part(lease_by, ':', 1) as host, count(*)::int as jobs from ocr_jobs
    where status = 'processing' and lease_until > now() group by 1`);
  return new Map(rows.map(({ host, jobs }) => [host, jobs]));
};

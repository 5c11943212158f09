import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** What is known before the pages of a document are read. */
export interface ReadingStart {
  /** The numbers of the pages that have been read without an error. */
  readonly donePages: ReadonlySet<number>;
  /** Those that the owner has had processed lately, as codes of tesseract, the most usual first. */
  readonly likelyLanguages: readonly string[];
  /** In which the owner reads the screens, where they have chosen one. */
  readonly ownerLanguage: string | undefined;
}

const LATELY = 50;

export const findReadingStart = async (
  db: Db,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
): Promise<ReadingStart> => {
  const { rows } = await db.execute<{ done: number[]; likely: string[]; own: string | null }>(sql`
    select array(select page from document_pages where document_id = ${id} and error is null and not is_stale) as done,
      array(
        select language from (
          select language from documents where owner_id = ${ownerId} and language is not null order by completed_at desc limit ${LATELY}
        ) as lately group by language order by count(*) desc, language
      ) as likely,
      (select language from user_settings where user_id = ${ownerId}) as own`);
  const { done = [], likely = [], own } = rows[0] ?? {};
  return { donePages: new Set(done), likelyLanguages: likely, ownerLanguage: own ?? undefined };
};

import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { minhashSignatures } from '@sheaf/db/schema';
import { readPageTexts } from './page-texts.ts';
import { SIGNATURE_BYTES, SignatureBuilder } from './signature.ts';
import { tokensOf } from './text-tokens.ts';

/** The signature of a document whose pages are stored; null where its text is too short to be compared. */
export type DocumentSignature = Uint8Array | null;

/** Makes the signature of a document from its pages, in bounded memory. */
export const makeSignature = async (db: Db, documentId: string): Promise<DocumentSignature> => {
  const builder = new SignatureBuilder();
  for await (const text of readPageTexts(db, documentId)) builder.add(tokensOf(text));
  return builder.build() ?? null;
};

/** Keeps the signature of a document in place of the one that it had, to be compared with others by `compareWaiting`. */
export const storeSignature = async (tx: Db, documentId: string, signature: DocumentSignature): Promise<void> => {
  await tx
    .insert(minhashSignatures)
    .values({ documentId, signature })
    .onConflictDoUpdate({ target: minhashSignatures.documentId, set: { signature, isCompared: false } });
};

/** Signatures that this version made. */
const isCurrent = sql`coalesce(octet_length(${minhashSignatures.signature}), ${SIGNATURE_BYTES}::int) = ${SIGNATURE_BYTES}::int`;

/** The ids of up to `limit` processed documents behind `after` that have no signature, or one of another version, in their order. */
export const listWithoutSignature = async (db: Db, after: string, limit: number): Promise<string[]> => {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from documents where id > ${after} and status = 'completed'
      and not exists (select from ${minhashSignatures} where ${minhashSignatures.documentId} = documents.id and ${isCurrent})
    order by id limit ${limit}`);
  return rows.map(({ id }) => id);
};

/** Makes the signature of a document that has none. One that is processed again meanwhile gets that of its new text from its worker. */
export const addMissingSignature = async (db: Db, documentId: string): Promise<void> => {
  const { rows } = await db.execute<{ completed: string }>(
    sql`select completed_at::text as completed from documents where id = ${documentId} and status = 'completed'`,
  );
  const [found] = rows;
  if (found === undefined) return;
  const signature = await makeSignature(db, documentId);
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.execute(sql`
      select from documents where id = ${documentId} and status = 'completed' and completed_at::text is not distinct from ${found.completed} for key share`);
    if (rowCount !== 1) return;
    await tx
      .insert(minhashSignatures)
      .values({ documentId, signature })
      .onConflictDoUpdate({
        target: minhashSignatures.documentId,
        set: { signature, isCompared: false },
        setWhere: sql`not (${isCurrent})`,
      });
  });
};

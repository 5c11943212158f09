import { type AppError, codedError } from '@sheaf/contract';
import { correspondentsFor, documentTypesFor } from '@sheaf/db';
import type { PgColumn, SQL } from '@sheaf/db/drizzle';
import { correspondents, documentFacts, documents, documentTypes } from '@sheaf/db/schema';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';

/** Lists of texts that a correspondent has beside its name. */
export type CorrespondentDetail = 'aliases' | 'ibans' | 'vatIds' | 'domains';

/** What documents can be filed by: the correspondents, or the document types. `D` are the lists of texts that each entry has. */
export interface FilingKind<D extends string = string> {
  readonly table: typeof correspondents | typeof documentTypes;
  readonly details: Readonly<Record<D, PgColumn>>;
  /** Where another entry that is merged into one leaves its name. */
  readonly formerNames: D | undefined;
  /** In the row of a document. */
  readonly reference: PgColumn;
  /** In rows of other tables, which belong to the entry that it is merged into as well. */
  readonly mentions: readonly PgColumn[];
  /** In the body of a document, and in its events. */
  readonly field: 'correspondent' | 'document_type';
  readonly exists: 'correspondent_exists' | 'document_type_exists';
  readonly unknown: 'unknown_correspondent' | 'unknown_document_type';
  readonly notFound: (id: string) => AppError;
  /** Those on which `principal` may do `action`. */
  readonly allowedFor: (principal: Principal, action: Action) => SQL;
  /** First key of advisory locks on names. */
  readonly namesLock: number;
}

export const CORRESPONDENTS: FilingKind<CorrespondentDetail> = {
  table: correspondents,
  details: {
    aliases: correspondents.aliases,
    ibans: correspondents.ibans,
    vatIds: correspondents.vatIds,
    domains: correspondents.domains,
  },
  formerNames: 'aliases',
  reference: documents.correspondentId,
  mentions: [documentFacts.correspondentId],
  field: 'correspondent',
  exists: 'correspondent_exists',
  unknown: 'unknown_correspondent',
  notFound: (id) => codedError('NOT_FOUND', 'CORRESPONDENT_NOT_FOUND', { correspondent_id: id }),
  allowedFor: correspondentsFor,
  namesLock: 0x63_6f_72,
};

export const DOCUMENT_TYPES: FilingKind<never> = {
  table: documentTypes,
  details: {},
  formerNames: undefined,
  reference: documents.documentTypeId,
  mentions: [],
  field: 'document_type',
  exists: 'document_type_exists',
  unknown: 'unknown_document_type',
  notFound: (id) => codedError('NOT_FOUND', 'DOCUMENT_TYPE_NOT_FOUND', { document_type_id: id }),
  allowedFor: documentTypesFor,
  namesLock: 0x64_74_70,
};
